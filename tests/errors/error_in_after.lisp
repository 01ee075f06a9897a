(dynamic-wind
 (lambda () #f)
 (lambda () (car 1))
 (lambda () (cdr 2)))

; error, status 70:
; error_in_after.lisp:4:13: cdr: expected a pair, got 2
;   4 |  (lambda () (cdr 2)))
;     |             ^^^^^^^
;   in lambda, called at error_in_after.lisp:1:1
