; The location is that of the whole test, whatever part of it is neither true nor false.
(define (f p) (if (or (null? p) (and (car p) (tensor-gt (car p) 0))) 1 2))
(define (main) (f (list [1.0])) (f (list [1.0 2.0])))
(main)

; error, status 70:
; ambiguous_truth_nested.lisp:2:19: a bool tensor of shape (2) has no single truth value
;   2 | (define (f p) (if (or (null? p) (and (car p) (tensor-gt (car p) 0))) 1 2))
;     |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: use tensor-any or tensor-all
;   in f, called at ambiguous_truth_nested.lisp:4:1
