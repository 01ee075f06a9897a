;; train_mlp.lisp - the training of a network for the digits.

(manual-seed 0)
(define model (sequential (linear 64 128) (relu) (linear 128 10)))
(define x (tensor-randn '(64 64)))
(define y (tensor-randint 10 '(64)))
