;; SRFI 39: a parameter that is called with a value keeps it, converted.
(import (srfi 39))
(define radix
  (make-parameter 10 (lambda (x) (if (and (exact-integer? x) (<= 2 x 16)) x (error "invalid radix")))))
(define (f n) (number->string n (radix)))
(print (f 12))                                       ; => 12
(print (parameterize ((radix 2)) (f 12)))            ; => 1100
(print (f 12))                                       ; => 12
(radix 16)
(print (f 12))                                       ; => c
(print (guard (e (#t (error-object-message e))) (parameterize ((radix 0)) (f 12))))  ; => invalid radix
(print (guard (e (#t (error-object-message e))) (radix 1)))  ; => invalid radix
(print (radix))                                      ; => 16
(define prompt (make-parameter 123 (lambda (x) (if (string? x) x (number->string x 10)))))
(print (prompt))                                     ; => 123
(prompt ">")
(print (prompt))                                     ; => >
(print (parameterize ((radix 8) (prompt (f 10))) (prompt)))  ; => a
(print (parameterize ((prompt "x")) (prompt "y") (prompt)) (prompt))  ; => y >
(for-each radix '(3 4))
(print (radix))                                      ; => 4
(define (set-in-tail-position x) (radix x))
(set-in-tail-position 5)
(print (apply radix '()) (begin (apply radix '(6)) (radix)))  ; => 5 6
(print (guard (e (#t (error-object-message e))) (radix 1 2)))  ; => parameter: expected at most 1 argument, got 2
(define text (open-output-string))
(define before (current-output-port))
(current-output-port text)
(display "hidden")
(current-output-port before)
(write (get-output-string text)) (newline)           ; => "hidden"
(print (guard (e (#t (error-object-message e))) (current-output-port 5)))  ; => current-output-port: expected an output port, got 5
(print (map (lambda (ok?) (map ok? (list text (open-input-string "x"))))
            (list input-port-open? output-port-open?)))  ; => ((#f #t) (#t #f))
(close-port text)
(print (output-port-open? text) (guard (e (#t (error-object-message e))) (input-port-open? 'a)))  ; => #f input-port-open?: expected a port, got a
