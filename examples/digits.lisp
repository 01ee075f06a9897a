;; digits.lisp - a network that learns to read handwritten digits.
;;
;;   lambent examples/digits.lisp
;;   lambent compile examples/digits.lisp -o digits && ./digits [DIGITS.CSV]
;;
;; The data are 1,797 images of 8 by 8 pixels (data/README.md says whose).  The
;; network sees four fifths of them 30 times over and is then asked about the
;; rest.  digits-cnn.lisp does better.

(import "lib/digits-data.lisp")

(set-num-threads 1)             ; these tensors are too small to share out
(manual-seed 1)

(define-values (training test) (digits-datasets))
(define loader (data-loader training :batch-size 64 :shuffle #t :seed 1))

(define model (sequential (linear 64 64) (relu) (linear 64 10)))
(define optimizer (sgd (parameters model) :lr 0.1 :momentum 0.9))

(define (train-epoch)
  "One pass over the images in a new order; the mean loss of its batches."
  (let ((total 0.0))
    (do-batches ((x y) loader)                            ; [64, 64], [64]
      (let ((loss (cross-entropy (model x) y)))
        (backward loss)
        (optimizer-step optimizer)
        (zero-grad optimizer)
        (set! total (+ total (tensor-item loss)))))
    (/ total (loader-length loader))))

(dotimes (epoch 30)
  (print "epoch" (+ epoch 1) "loss" (four-decimals (train-epoch))))

(let-list (((x y) (dataset-tensors test)))
  (print "test accuracy" (four-decimals (accuracy (no-grad (model x)) y))))
