;; train_cnn.lisp - the training of a convolutional network for the digits.

(manual-seed 0)
(define model
  (sequential (conv2d 1 16 3 :padding 1) (relu) (max-pool2d 2)
              (conv2d 16 32 3 :padding 1) (relu) (max-pool2d 2)
              (flatten) (linear 128 64) (relu) (linear 64 10)))
(define x (tensor-randn '(64 1 8 8)))
(define y (tensor-randint 10 '(64)))
