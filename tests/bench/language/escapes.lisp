;; Escapes: Takeuchi's function, in which every call returns through a
;; continuation of its own, and searches that leave a loop.

(define (tak x y z)
  (call-with-current-continuation
   (lambda (return) (tak-to return x y z))))

(define (tak-to return x y z)
  (if (< y x)
      (return (tak (tak (- x 1) y z)
                   (tak (- y 1) z x)
                   (tak (- z 1) x y)))
      (return z)))

(define (find-first ok? items)
  (call-with-current-continuation
   (lambda (return)
     (for-each (lambda (x) (if (ok? x) (return x))) items)
     -1)))

(define (repeat times)
  (let ((items '(3 1 4 1 5 9 2 6 5 3 5 8)))
    (let loop ((i 0) (sum 0))
      (if (= i times)
          sum
          (loop (+ i 1)
                (+ sum
                   (tak 12 8 4)
                   (find-first (lambda (x) (> x 8)) items)
                   (find-first (lambda (x) (> x i)) items)))))))

(display (repeat (string->number (cadr (command-line)))))
(newline)
