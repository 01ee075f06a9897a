(define-syntax twice (syntax-rules () ((_ e) (begin e e))))
(define (f x) (twice (car x)))
(f 5)

; error, status 70:
; macro_users_part.lisp:2:22: car: expected a pair, got 5
;   2 | (define (f x) (twice (car x)))
;     |                      ^^^^^^^
;   in f, called at macro_users_part.lisp:3:1
