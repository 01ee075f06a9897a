(define (late f) (lambda (x) (if (pair? x) (f x) ((lambda (y z) (vector-ref y z)) x 0))))
(define (first-of f x) (list ((late f) x)))
(display (first-of car '(1)))
(display (first-of vector-length '(1)))

; error, status 70:
; returned_procedure_tail.lisp:1:44: vector-length: expected a vector, got (1)
;   1 | (define (late f) (lambda (x) (if (pair? x) (f x) ((lambda (y z) (vector-ref y z)) x 0))))
;     |                                            ^^^^^
; hint: (length list) is the length of a list
;   in lambda, called at returned_procedure_tail.lisp:2:30
;   in first-of, called at returned_procedure_tail.lisp:4:10
