; A definition as Python writes it.
(define total = 3)

; error, status 65:
; define_equals.lisp:2:1: define: expected (define name value) or (define (name parameter ...) body ...), got (define total = 3)
;   2 | (define total = 3)
;     | ^^^^^^^^^^^^^^^^^^
; hint: write (define total 3)
