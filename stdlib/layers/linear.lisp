;; linear.lisp - layers that multiply by a matrix, and those that only change
;; the shape.
;;
;; A layer is a module: ((linear 4 2) x) calls it, and its parameters have
;; PyTorch's names.  With the same seed, the initial values are those of
;; PyTorch's layer of the same name.

(define-module (linear in-features out-features :bias #t)
  "The layer x w' + b.  x [..., in-features] -> [..., out-features].

  weight [out-features, in-features] and bias [out-features] begin uniform
  within 1 / sqrt(in-features) of zero.  (tensor-linear x weight bias) applies
  it to a tensor."
  ((weight (%layer-weight
            (list (%positive "linear" "out-features" out-features)
                  (%positive "linear" "in-features" in-features)))
           :parameter)
   (bias (and bias (%layer-bias weight out-features)) :parameter))
  (forward (x) (tensor-linear x weight bias)))

(define-module (bilinear in1-features in2-features out-features :bias #t)
  "The layer x w y' + b of two tensors: x [..., in1-features] and y [...,
  in2-features] -> [..., out-features].

  weight [out-features, in1-features, in2-features].  (tensor-bilinear a b
  weight bias) applies it to a tensor."
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
  default it flattens each example.  x [n, ...] -> [n, m].  (tensor-flatten x
  start-dim end-dim) applies it to a tensor."
  ((start-dim start-dim)
   (end-dim end-dim))
  (forward (x) (tensor-flatten x start-dim end-dim)))

(define-module (unflatten dim unflattened-size)
  "The layer that splits dimension dim into several of the sizes in a list, of
  which one may be -1.  (tensor-unflatten x dim sizes) applies it to a tensor."
  ((dim (%dim "unflatten" dim '()))
   (unflattened-size
     (if (and (list? unflattened-size) (every exact-integer? unflattened-size))
         unflattened-size
         (wrong-type "unflatten" "a list of integers for unflattened-size"
                     unflattened-size))))
  (forward (x) (tensor-unflatten x dim unflattened-size)))
