; Powers with fractional exponents are exact where they can be.
(print (expt 4 1/2) (expt 8/27 2/3) (expt 2 1/2) (expt 1/4 -1/2) (expt 27 -2/3))  ; => 2 4/9 1.4142135623730951 2 1/9
(print (expt 0 1/2) (expt 1 1/3) (expt 4.0 1/2) (expt 4 0.5) (expt (expt 7 1000) 1/100))  ; => 0 1 2.0 2.0 282475249
(print (= (expt (expt 3 200000) 1/200000) 3) (= (expt (expt 12345678901234567890123 17) 1/17) 12345678901234567890123))  ; => #t #t
(print (expt (+ 1 (expt 10 30)) 1/3) (expt 4 (/ 1 (expt 10 30))))  ; => 9999999999.999987 1.0
(define (try thunk) (guard (e (#t (print (error-object-message e)))) (thunk)))
(try (lambda () (print (expt 0 -1/2))))   ; => expt: division by zero
(try (lambda () (print (expt -8 1/3))))   ; => expt: expected a non-negative number, got -8
