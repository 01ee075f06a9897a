
;; Appended to the programs train_*.lisp by the benchmark: Adam, and a server of
;; training steps.  A line with a number asks for so many steps; the answer is
;; the seconds that they took, the last loss, and the peak bytes of tensors.

(define opt (adam (parameters model) :lr 1e-3))

(define (train-step x y)
  (let ((loss (cross-entropy (forward model x) y)))
    (backward loss) (optimizer-step opt) (zero-grad opt) (tensor-item loss)))

(define (train steps)
  "So many steps; the last loss."
  (let loop ((k 1))
    (let ((loss (train-step x y)))
      (if (= k steps) loss (loop (+ k 1))))))

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
