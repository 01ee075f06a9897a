(define-syntax forever (syntax-rules () ((_ x) (forever (x)))))
(forever 1)

; error, status 65:
; macro_without_end.lisp:2:1: forever: the expansion is 10000 uses of macros deep
;   2 | (forever 1)
;     | ^^^^^^^^^^^
; hint: does it end?
;   in the expansion of forever
;   ... repeated 10000 more times
