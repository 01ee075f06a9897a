(define-syntax flat
  (syntax-rules () ((_ (a ...) ...) '(a ...))))

; error, status 65:
; macro_depth.lisp:2:39: syntax-rules: a is before 2 ellipses in the pattern, but before 1 ellipsis in the template
;   2 |   (syntax-rules () ((_ (a ...) ...) '(a ...))))
;     |                                       ^
