;; The tail call of another name of + leaves no frame; that of car is no procedure's.
(define add +)
(define head car)
(define (sum x) (add x 'a))
(define (first-of x) (head x))
(guard (e (#t (print (error-object-message e)))) (first-of 1))
(define (main x) (list (sum x)))
(main 1)

; error, status 70:
; alias_operator.lisp:7:24: +: expected a number, got a
;   7 | (define (main x) (list (sum x)))
;     |                        ^^^^^^^
;   in main, called at alias_operator.lisp:8:1
