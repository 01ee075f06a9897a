;; digits.lisp - a network that learns to read handwritten digits.
;;
;;   lambent examples/digits.lisp
;;   lambent compile examples/digits.lisp -o digits && ./digits [DIGITS.CSV]
;;
;; The data are 1,797 images of 8 by 8 pixels (data/README.md says whose).  The
;; network sees 1,437 of them 30 times over and is then asked about the rest.

(define pixel-count 64)
(define class-count 10)
(define hidden-size 64)
(define train-count 1437)
(define batch-size 64)
(define epoch-count 30)

;; The data.

(define (data-path)
  "The program's argument, or the file in data/ beside the program or here."
  (let ((folders (drop-right (string-split (car (command-line)) "/") 1)))
    (cond ((pair? (cdr (command-line))) (cadr (command-line)))
          ((find file-exists?
                 (list (string-join (append folders '("data/digits.csv")) "/")
                       "examples/data/digits.csv")))
          (else "data/digits.csv"))))

(define (shuffle items)
  "The elements in an order that the seed decides."
  (let ((elements (list->vector items)))
    (map (lambda (k) (vector-ref elements k))
         (tensor->list (tensor-randperm (vector-length elements))))))

(define (row-pixels row)
  "The pixels of a row of the file, from 0 to 1."
  (map (lambda (pixel) (/ pixel 16.0)) (take row pixel-count)))

(define (images rows)
  "rows: n of them -> [n, 64]"
  (tensor (map row-pixels rows)))

(define (labels rows)
  "rows: n of them -> [n], integers from 0 to 9"
  (tensor (map last rows)))

;; Training.

(define (train-epoch model optimizer xs ys)
  "One pass over the images in a new order; the mean loss.  xs [n, 64], ys [n]."
  (let* ((n (car (tensor-shape xs)))
         (order (tensor-randperm n)))                           ; [n]
    (let loop ((start 0) (total 0.0))
      (if (= start n)
          (/ total n)
          (let* ((end (min n (+ start batch-size)))
                 (picked (tensor-slice order 0 start end))      ; [b]
                 (x (tensor-index-select xs 0 picked))          ; [b, 64]
                 (y (tensor-index-select ys 0 picked))          ; [b]
                 (logits (forward model x))                     ; [b, 10]
                 (loss (cross-entropy logits y)))               ; []
            (zero-grad optimizer)
            (backward loss)
            (optimizer-step optimizer)
            (loop end (+ total (* (tensor-item loss) (- end start)))))))))

(define (train model optimizer xs ys)
  "All the epochs, each with its loss printed."
  (do ((epoch 1 (+ epoch 1)))
      ((> epoch epoch-count))
    (print "epoch" epoch "loss"
           (four-decimals (train-epoch model optimizer xs ys)))))

(define (four-decimals x)
  "x rounded, as people like to read it."
  (/ (round (* x 10000)) 10000))

;; The program.

(set-num-threads 1)             ; these tensors are too small to share out
(manual-seed 1)

(define rows (shuffle (read-csv (data-path))))         ; 1,797 lists of 65
(define train-rows (take rows train-count))
(define test-rows (drop rows train-count))

(define net
  (sequential (linear pixel-count hidden-size)
              (relu)
              (linear hidden-size class-count)))
(define descent (sgd (parameters net) :lr 0.1 :momentum 0.9))

(train net descent (images train-rows) (labels train-rows))

(define logits (no-grad (forward net (images test-rows))))    ; [360, 10]
(print "test accuracy" (four-decimals (accuracy logits (labels test-rows))))
