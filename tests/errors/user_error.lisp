; The program's own error, with irritants as write shows them, in a nested call.
(define (check amount)
  (if (< amount 0)
      (error "negative amount:" amount "given" '(a "b"))
      amount))
(define (pay amount) (+ 1 (check amount)))
(print (pay 5))
(print (pay -5))

; error, status 70:
; user_error.lisp:4:7: negative amount: -5 "given" (a "b")
;   4 |       (error "negative amount:" amount "given" '(a "b"))
;     |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
;   in check, called at user_error.lisp:6:27
;   in pay, called at user_error.lisp:8:8
