;; Arithmetic and comparisons as values, called with two arguments and others.

(define (two f a b) (f a b))
(define (in-list f a b) (list (f a b)))
(define numeric (list + - * / max min gcd lcm = < > <= >=))
(print (map (lambda (f) (two f 12 8)) numeric))
; => (20 4 96 3/2 12 8 4 24 #f #f #t #f #t)
(print (map (lambda (f) (car (in-list f 1.5 2))) (list + - * / max min < =)))
; => (3.5 -0.5 3.0 0.75 2.0 1.5 #t #f)
(print (map (lambda (f) (f 3)) (list + - * / max < )) (map (lambda (f) (f 4 3 2)) numeric))
; => (3 -3 3 1/3 3 #t) (9 -1 24 2/3 4 2 1 12 #f #f #t #f #t)
(print (map (lambda (f) (two f 6 3)) (list bitwise-and bitwise-ior bitwise-xor))) ; => (2 7 5)
(print (map (lambda (f) (two f #\a #\b)) (list char=? char<? char>?)))  ; => (#f #t #f)
(print (map (lambda (f) (two f "a" "b")) (list string=? string<? string>?)))  ; => (#f #t #f)
(print (two symbol=? 'a 'a) (two boolean=? #t #f))   ; => #t #f
(print (two + (expt 2 62) (expt 2 62)))              ; => 9223372036854775808
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (two + 1 'a))))           ; => +: expected a number, got a
(print (message (lambda () (in-list < 'b 1))))       ; => <: expected a number, got b
(print (message (lambda () (two / 1 0))))            ; => /: division by zero
(print (message (lambda () (two string<? "a" 1))))   ; => string<?: expected a string, got 1
(define (count-to n f) (if (= n 0) 0 (f 1 (count-to (- n 1) f))))
(print (count-to 1000 +))                            ; => 1000
(define (sum f items sum) (if (null? items) sum (sum-next f items sum)))
(define (sum-next f items total) (sum f (cdr items) (f total (car items))))
(print (sum + (iota 1000) 0.5))                      ; => 499500.5
