(define-syntax check-positive (syntax-rules () ((_ x) (assert (> x 0)))))
(define (f n) (check-positive n))
(f -1)

; error, status 70:
; macro_assert.lisp:2:15: assertion failed: (> n 0)
;   2 | (define (f n) (check-positive n))
;     |               ^^^^^^^^^^^^^^^^^^
;   in the expansion of check-positive
;   in f, called at macro_assert.lisp:3:1
