(define-syntax swap! (syntax-rules () ((_ a b) (set! a b))))
(for-each swap! '(1) '(2))

; error, status 65:
; macro_as_value.lisp:2:11: swap! is a macro, not a value
;   2 | (for-each swap! '(1) '(2))
;     |           ^^^^^
; hint: usage: (swap! a b)
