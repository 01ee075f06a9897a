;; cnn.lisp - a convolutional network for the digits, as somebody writes it for a first try.

(define batch-size 64)

(define (image row)
  "The pixels of a row, from 0 to 1."
  (map (lambda (pixel) (/ pixel 16.0)) (take row 64)))

(define (load-data path)
  "The images [n, 1, 8, 8] and the labels [n] of a file."
  (let ((rows (read-csv path)))
    (values (tensor-reshape (tensor (map image rows)) '(-1 1 8 8))
            (tensor (map last rows)))))

(define net
  (sequential (conv2d 1 8 3 :padding 1) (relu) (max-pool2d 2)
              (conv2d 8 16 3 :padding 1) (relu) (max-pool2d 2)
              (flatten)
              (linear 64 10)))

(define optimizer (sgd (parameters net) :lr 0.1 :momentum 0.9))

(define (train-batch x y)
  "One step; the loss."
  (zero-grad optimizer)
  (let ((loss (cross-entropy (forward net x) y)))
    (backward loss)
    (optimizer-step optimizer)
    (tensor-item loss)))

(define (train-epoch xs ys)
  "The mean loss of one pass over the data in a new order."
  (let* ((n (car (tensor-shape xs)))
         (order (tensor-randperm n)))
    (do ((start 0 (+ start batch-size))
         (losses '() (let ((picked (tensor-slice order 0 start (min n (+ start batch-size)))))
                       (cons (train-batch (tensor-index-select xs 0 picked)
                                          (tensor-index-select ys 0 picked))
                             losses))))
        ((>= start n) (/ (apply + losses) (length losses))))))

(call-with-values (lambda () (load-data (cadr (command-line))))
  (lambda (xs ys)
    (do ((epoch 1 (+ epoch 1)))
        ((> epoch 5))
      (print "epoch" epoch "loss" (train-epoch xs ys)))
    (print "accuracy" (no-grad (accuracy (forward net xs) ys)))))
