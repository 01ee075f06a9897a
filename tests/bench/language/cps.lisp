;; Continuation-passing style: Takeuchi's function, and sums of lists, where a
;; closure holds what is left to do.

(define (tak x y z k)
  (if (< y x)
      (tak (- x 1) y z
           (lambda (a)
             (tak (- y 1) z x
                  (lambda (b)
                    (tak (- z 1) x y
                         (lambda (c) (tak a b c k)))))))
      (k z)))

(define (sum-of items k)
  (if (null? items)
      (k 0)
      (sum-of (cdr items) (lambda (rest) (k (+ (car items) rest))))))

(define (repeat times)
  (let ((items '(3 1 4 1 5 9 2 6 5 3 5 8)))
    (let loop ((i 0) (sum 0))
      (if (= i times)
          sum
          (loop (+ i 1)
                (+ sum
                   (tak 18 12 6 (lambda (x) x))
                   (sum-of items (lambda (x) x))))))))

(display (repeat (string->number (cadr (command-line)))))
(newline)
