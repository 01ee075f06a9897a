; Too deep a recursion shows no trace, so it names no module: the depth differs between the back ends.
(define (forever n) (+ 1 (forever (+ n 1))))
(define-module (inner) () (forward (x) (forever x)))
(define-module (outer) ((part (inner))) (forward (x) (part x)))
((outer) 1)

; error, status 70:
; module_recursion.lisp:2:26: recursion is too deep
;   2 | (define (forever n) (+ 1 (forever (+ n 1))))
;     |                          ^^^^^^^^^^^^^^^^^
; hint: does it end?
