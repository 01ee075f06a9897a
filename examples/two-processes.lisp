;; two-processes.lisp - the digits network, trained by several processes.
;;
;;   lambent launch -n 2 examples/two-processes.lisp
;;   lambent compile examples/two-processes.lisp -o two
;;   lambent launch -n 2 two [DIGITS.CSV]
;;
;; Each process computes the gradients of its part of every batch, and backward
;; averages them.  So 1, 2 or 4 processes train the same network: the losses
;; that they print differ by rounding only.

(define batch-size 64)      ; of all processes together
(define epoch-count 30)
(define data-path
  (if (pair? (cdr (command-line)))
      (cadr (command-line))
      "examples/data/digits.csv"))

(define (train-step model optimizer x y)
  "One step on this process's part of a batch; its loss.  x [b, 64], y [b]."
  (let ((loss (cross-entropy (model x) y)))
    (backward loss)             ; it leaves the mean of all processes' gradients
    (optimizer-step optimizer)
    (zero-grad optimizer)
    (detach loss)))

(define (train-epoch model optimizer loader)
  "The mean loss of an epoch, over all processes."
  (let ((total (tensor 0.0)))
    (do-batches ((x y) loader)
      (tensor-add! total (train-step model optimizer x y)))
    (/ (tensor-item (all-reduce total :op 'mean)) (loader-length loader))))

(define (accuracy-of model loader)
  "The fraction of right answers, of which each process counts a part."
  (let ((right (tensor 0)))
    (no-grad
     (do-batches ((x y) loader)
       (tensor-add! right (correct-count (model x) y))))
    (/ (tensor-item (all-reduce right)) 1.0 (world-size)
       (loader-length loader))))

(define (main)
  (manual-seed 1)               ; the same order of batches in all processes
  (let* ((digits (csv-dataset data-path :target -1))
         (parts (split-dataset digits '(0.8 0.2) :seed 0))
         (scaled (lambda (x y) (list (/ x 16.0) y)))
         (own (lambda (d) (shard-dataset d (rank) (world-size))))
         (loader (data-loader (own (car parts)) :shuffle #t :seed 0
                              :batch-size (quotient batch-size (world-size))
                              :drop-last #t :transform scaled))
         (test (data-loader (own (cadr parts)) :batch-size 1 :transform scaled))
         (model (sequential (linear 64 64) (relu) (linear 64 10)))
         (optimizer (sgd (parameters model) :lr 0.1 :momentum 0.9)))
    (data-parallel! model)      ; all processes begin with those of rank 0
    (dotimes (epoch epoch-count)
      (let ((loss (train-epoch model optimizer loader)))
        (when (= (rank) 0)
          (print "epoch" (+ epoch 1) "loss" (four-decimals loss)))))
    (let ((right (accuracy-of model test)))
      (when (= (rank) 0) (print "test accuracy" (four-decimals right))))))

(define (four-decimals x)
  "x rounded, as people like to read it."
  (/ (round (* x 10000)) 10000))

(with-distributed (main))
