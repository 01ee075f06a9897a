; An error of a test is at the test, also where an inlined body takes its place.

(define (same x) x)
(define (tried x) (if (and #t (same x)) 1 2))
(define (main x) (list (tried x)))
(print (main 1))
(main [#t #f])

; error, status 70:
; inlined_test.lisp:4:23: a bool tensor of shape (2) has no single truth value
;   4 | (define (tried x) (if (and #t (same x)) 1 2))
;     |                       ^^^^^^^^^^^^^^^^^
; hint: use tensor-any or tensor-all
;   in tried, called at inlined_test.lisp:5:24
;   in main, called at inlined_test.lisp:7:1
