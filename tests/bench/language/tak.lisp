;; Calls of three arguments: Takeuchi's function, many times.

(define (tak x y z)
  (if (< y x)
      (tak (tak (- x 1) y z)
           (tak (- y 1) z x)
           (tak (- z 1) x y))
      z))

(define (repeat times)
  (let loop ((i 0) (sum 0))
    (if (= i times)
        sum
        (loop (+ i 1) (+ sum (tak 18 12 6))))))

(display (repeat (string->number (cadr (command-line)))))
(newline)
