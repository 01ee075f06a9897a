;; Calls and small integers: the Fibonacci numbers by their definition.

(define (fib n)
  (if (< n 2)
      n
      (+ (fib (- n 1)) (fib (- n 2)))))

(display (fib (string->number (cadr (command-line)))))
(newline)
