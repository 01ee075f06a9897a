; An error in a procedure that the library calls: the library's own frames are left out.
(define (half x) (/ x 0))
(print (map half '(1 2)))

; error, status 70:
; in_library.lisp:2:18: /: division by zero
;   2 | (define (half x) (/ x 0))
;     |                  ^^^^^^^
;   in half, called at in_library.lisp:3:8
