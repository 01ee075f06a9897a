; An unknown name, with a near one suggested.
(define (average numbers) (/ (apply + numbers) (length numbers)))
(print (averge '(1 2 3)))

; error, status 70:
; unbound.lisp:3:9: unbound variable: averge
;   3 | (print (averge '(1 2 3)))
;     |         ^^^^^^
; hint: did you mean average?
