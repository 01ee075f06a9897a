; A definition as Common Lisp writes it.
(define area (w h) (* w h))

; error, status 65:
; define_parameters.lisp:2:1: define: expected (define name value) or (define (name parameter ...) body ...), got (define area (w h) (* w h))
;   2 | (define area (w h) (* w h))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: write (define (area w h) (* w h))
