; One value is one too few, wherever it comes from.
(define-values (a b . rest) (car '(1)))

; error, status 70:
; values_too_few.lisp:2:1: define-values: expected at least 2 values, got 1
;   2 | (define-values (a b . rest) (car '(1)))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
