; An assignment of C.
(define n 3)
n++

; error, status 70:
; counted_name.lisp:3:1: unbound variable: n++
;   3 | n++
;     | ^^^
; hint: write (set! n (+ n 1))
