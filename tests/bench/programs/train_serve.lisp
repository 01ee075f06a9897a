
;; Appended to the programs train_*.lisp by the benchmark: Adam, and a server of
;; training steps.  A line with a number asks for so many steps; the answer is
;; the seconds that they took, the last loss, and the peak bytes of tensors.

(define moments (map tensor-zeros-like parameter-list))
(define squares (map tensor-zeros-like parameter-list))
(define step-count (tensor 0.0))
(define step-counts (map (lambda (p) step-count) parameter-list))

(define (adam-step)
  (no-grad
    (tensor-add! step-count 1.0)
    (tensor--fused-adam! parameter-list (map tensor-grad parameter-list)
                         moments squares '() step-counts
                         :lr 1e-3 :beta1 0.9 :beta2 0.999 :weight-decay 0.0
                         :eps 1e-8 :amsgrad #f :maximize #f)))

(define (train-step x y)
  "One step; the loss before it."
  (let ((loss (loss-of x y)))
    (backward loss)
    (adam-step)
    (apply zero-grad! parameter-list)
    (tensor-item loss)))

(define (train steps)
  "So many steps; the last loss."
  (let loop ((k 1))
    (if (< k steps)
        (begin (train-step x y) (loop (+ k 1)))
        (train-step x y))))

(define (serve)
  (let ((line (read-line)))
    (unless (eof-object? line)
      (let* ((start (current-jiffy))
             (loss (train (string->number line)))
             (seconds (/ (- (current-jiffy) start) 1e9)))
        (print seconds loss (cdr (assq 'peak-bytes (tensor-memory))))
        (flush-output-port))
      (serve))))

(let ((threads (string->number (cadr (command-line)))))
  (when (> threads 0) (set-num-threads threads)))
(serve)
