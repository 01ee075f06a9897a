(define-syntax my-let1
  (syntax-rules ()
    ((_ (name value) body) (let ((name value)) body))
    ((_ other . rest) (syntax-error "my-let1: not a binding:" other))))
(print (my-let1 (x 1) x))
(print (my-let1 x 2))

; error, status 65:
; syntax_error.lisp:6:8: my-let1: not a binding: x
;   6 | (print (my-let1 x 2))
;     |        ^^^^^^^^^^^^^
;   in the expansion of my-let1
