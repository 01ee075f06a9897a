(define (helper x) x)
(defmacro bad (x) (helper x))
(print (bad 1))

; error, status 65:
; defmacro_own_procedure.lisp:3:8: unbound variable: helper
;   3 | (print (bad 1))
;     |        ^^^^^^^
; hint: a macro's procedure runs before the program, and sees only the library
;   in the expansion of bad
