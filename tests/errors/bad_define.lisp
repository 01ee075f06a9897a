; A definition of no name.
(define 5 6)

; error, status 65:
; bad_define.lisp:2:1: define: expected (define name value) or (define (name parameter ...) body ...), got (define 5 6)
;   2 | (define 5 6)
;     | ^^^^^^^^^^^^
