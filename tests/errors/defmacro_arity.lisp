(defmacro ignore (form) #f)
(print (ignore 1 2))

; error, status 65:
; defmacro_arity.lisp:2:8: ignore: expected 1 argument, got 2
;   2 | (print (ignore 1 2))
;     |        ^^^^^^^^^^^^
; hint: usage: (ignore form)
;   in the expansion of ignore
