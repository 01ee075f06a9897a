;; chain.lisp - six elementwise operators on 4 million floats, in a process that has just started.

(define (chain x w)
  "x w [4000000] -> [4000000]"
  (let* ((a (tensor-add x 1.0))
         (b (tensor-mul a w))
         (c (tensor-relu b))
         (d (tensor-sub c 0.5))
         (e (tensor-mul d w)))
    (tensor-clamp e 0.0 1.0)))

(define (main times)
  (let* ((x (tensor-full '(4000000) 0.5))
         (w (tensor-full '(4000000) 2.0))
         (start (current-jiffy)))
    (dotimes (k times) (chain x w))
    (print "milliseconds" (/ (- (current-jiffy) start) (* 1e6 times)))
    (print "bytes" (cdr (assq 'peak-bytes (tensor-memory))))))

(main (string->number (cadr (command-line))))
