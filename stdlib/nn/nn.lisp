;; nn.lisp - models: layers and their parameters.
;;
;; Layers are modules (modules.lisp).  With the same seed, the initial weights
;; are those of PyTorch's layers of the same name.

;; Layers.

(define-module (linear in out :bias #t)
  "The layer x w' + b.  x [..., in] -> [..., out].

  Weights begin uniform within 1 / sqrt(in) of zero."
  ((weight (%uniform in (list out in)) :parameter)          ; [out, in]
   (bias (and bias (%uniform in (list out))) :parameter))   ; [out]
  (forward (x) (tensor-linear x weight bias)))

(define (%uniform fan shape)
  "A tensor, uniform within 1 / sqrt(fan) of zero."
  (let ((bound (/ (sqrt (inexact fan)))))
    (tensor-uniform! (tensor-empty shape) (- bound) bound)))

(define-module (relu)
  "The layer that replaces negative elements by zero."
  ()
  (forward (x) (tensor-relu x)))

(define-module (flatten)
  "The layer that flattens each example.  x [n, ...] -> [n, m]."
  ()
  (forward (x) (tensor-flatten x 1)))

(define-module (sequential . layers)
  "The model that passes the result of each layer to the next.  Any procedure
  of one tensor is a layer."
  ((layers layers :unnamed))
  (forward (x)
    (let loop ((x x) (rest layers))
      (if (null? rest)
          x
          (loop ((car rest) x) (cdr rest))))))
