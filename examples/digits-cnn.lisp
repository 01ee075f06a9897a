;; digits-cnn.lisp - a small convolutional network that reads digits better
;; than digits.lisp.
;;
;;   lambent examples/digits-cnn.lisp
;;
;; fit is the loop that digits.lisp writes out.

(import "lib/digits-data.lisp")

(set-num-threads 1)
(manual-seed 1)

(define-values (training test) (digits-datasets))

(define model
  (sequential (unflatten 1 '(1 8 8))                  ; [n, 1, 8, 8]
              (conv2d 1 16 3 :padding 1) (batch-norm2d 16) (relu)
              (conv2d 16 32 3 :padding 1) (batch-norm2d 32) (relu)
              (max-pool2d 2)                          ; [n, 32, 4, 4]
              (flatten)
              (dropout :p 0.25)
              (linear 512 10)))
(define optimizer (adamw (parameters model) :lr 2e-3))

(fit model (data-loader training :batch-size 64 :shuffle #t :seed 1)
     :optimizer optimizer
     :loss cross-entropy
     :epochs 12
     :validate test
     :metrics (list (cons "accuracy" accuracy))
     :callbacks (list (lambda (run)
                        (print "epoch" (fit-epoch run)
                               "accuracy" (four-decimals
                                           (fit-metric run "accuracy")))))
     :progress #f)                                    ; #t shows bars

(eval-mode! model)
(let-list (((x y) (dataset-tensors test)))
  (let ((logits (no-grad (model x))))                 ; [359, 10]
    (print "test accuracy" (four-decimals (accuracy logits y)))
    (print "rows: the digit; columns: what the network read")
    (for-each print (tensor->list (confusion-matrix logits y)))))
