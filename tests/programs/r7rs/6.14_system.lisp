; The process and the clock.
(print (pair? (command-line)) (string? (car (command-line))))  ; => #t #t
(print (string? (get-environment-variable "PATH")) (get-environment-variable "LAMBENT_NO_SUCH_VARIABLE") (getenv "LAMBENT_NO_SUCH_VARIABLE")) ; => #t #f #f
(print (equal? (assoc "PATH" (get-environment-variables)) (cons "PATH" (getenv "PATH"))))  ; => #t
(print (inexact? (current-second)) (> (current-second) 1.6e9) (exact-integer? (current-seconds)) (< (abs (- (current-second) (current-seconds))) 10)) ; => #t #t #t #t
(define start (current-jiffy))
(print (exact-integer? start) (>= (current-jiffy) start) (jiffies-per-second))  ; => #t #t 1000000000
