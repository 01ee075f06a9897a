;; linear.lisp - layers that multiply by a matrix, and those that only change
;; the shape.
;;
;; A layer is a module: ((linear 4 2) x) calls it, and its parameters have
;; PyTorch's names.  With the same seed, the initial values are those of
;; PyTorch's layer of the same name.

(define-module (linear in-features out-features :bias #t)
  "The layer x w' + b.  x [..., in-features] -> [..., out-features].

  weight [out-features, in-features] and bias [out-features] begin uniform
  within 1 / sqrt(in-features) of zero."
  ((weight (%layer-weight
            (list (%positive "linear" "out-features" out-features)
                  (%positive "linear" "in-features" in-features)))
           :parameter)
   (bias (and bias (%layer-bias weight out-features)) :parameter))
  (forward (x) (tensor-linear x weight bias)))

(define-module (bilinear in1-features in2-features out-features :bias #t)
  "The layer x w y' + b of two tensors: x [..., in1-features] and y [...,
  in2-features] -> [..., out-features].

  weight [out-features, in1-features, in2-features]."
  ((in1-features (%positive "bilinear" "in1-features" in1-features))
   (in2-features (%positive "bilinear" "in2-features" in2-features))
   (out-features (%positive "bilinear" "out-features" out-features))
   (bound (/ (sqrt (inexact in1-features))))
   (weight (%uniform! (tensor-empty out-features in1-features in2-features)
                      bound)
           :parameter)
   (bias (and bias (%uniform! (tensor-empty out-features) bound)) :parameter))
  (forward (x y) (tensor-bilinear x y weight bias)))

;; Shapes.

(define-module (flatten :start-dim 1 :end-dim -1)
  "The layer that makes one dimension of those from start-dim to end-dim: by
  default it flattens each example.  x [n, ...] -> [n, m]."
  ((start-dim start-dim)
   (end-dim end-dim))
  (forward (x) (tensor-flatten x start-dim end-dim)))

(define-module (unflatten dim unflattened-size)
  "The layer that splits dimension dim into several of the sizes in a list, of
  which one may be -1."
  ((dim dim)
   (unflattened-size unflattened-size))
  (forward (x) (tensor-unflatten x dim unflattened-size)))
