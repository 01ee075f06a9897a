;; train_mlp.lisp - the training step of a network for the digits, 64 - 128 - 10.

(define (uniform shape bound)
  "A parameter that begins uniform between -bound and bound."
  (requires-grad! (tensor-uniform! (tensor-empty shape) (- bound) bound)))

(define (weight-and-bias in out)
  (let ((bound (/ (sqrt (inexact in)))))
    (list (uniform (list out in) bound) (uniform (list out) bound))))

(manual-seed 0)
(define hidden (weight-and-bias 64 128))
(define output (weight-and-bias 128 10))
(define parameter-list (append hidden output))

(define (loss-of x y)
  "x [64, 64], y [64] -> []"
  (let ((h (tensor-relu (tensor-linear x (car hidden) (cadr hidden)))))
    (tensor-cross-entropy-loss
     (tensor-linear h (car output) (cadr output)) y)))

(define x (tensor-randn '(64 64)))
(define y (tensor-randint 10 '(64)))
