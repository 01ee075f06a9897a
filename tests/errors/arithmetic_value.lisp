(define (fold f sum items) (if (null? items) sum (fold f (f sum (car items)) (cdr items))))
(define (start f) (fold f 0 '(1 a)))
(print (list (start *)))

; error, status 70:
; arithmetic_value.lisp:1:58: *: expected a number, got a
;   1 | (define (fold f sum items) (if (null? items) sum (fold f (f sum (car items)) (cdr items))))
;     |                                                          ^^^^^^^^^^^^^^^^^^^
;   in fold, called at arithmetic_value.lisp:3:14
