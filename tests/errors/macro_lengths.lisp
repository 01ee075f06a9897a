(define-syntax zip
  (syntax-rules () ((_ (a ...) (b ...)) '((a b) ...))))
(print (zip (1 2) (3)))

; error, status 65:
; macro_lengths.lisp:3:8: cannot repeat over sequences of 1 and 2 items together
;   3 | (print (zip (1 2) (3)))
;     |        ^^^^^^^^^^^^^^^
;   in the expansion of zip
