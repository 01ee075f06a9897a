(define-syntax my-if
  (syntax-rules (then)
    ((_ c then a b) (if c a b))))
(print (my-if #t 1 2))

; error, status 65:
; macro_no_rule.lisp:4:8: my-if: no rule matches (my-if #t 1 2)
;   4 | (print (my-if #t 1 2))
;     |        ^^^^^^^^^^^^^^
; hint: usage: (my-if c then a b)
