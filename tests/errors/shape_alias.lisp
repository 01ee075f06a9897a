; `@` is tensor-matmul, and the hint takes its argument's text from the call.
(define q (tensor-ones 2 3))
(define k (tensor-ones 2 3))
(print (@ q k))

; error, status 70:
; shape_alias.lisp:4:8: tensor-matmul: inner sizes differ: (2 3) times (2 3)
;   4 | (print (@ q k))
;     |        ^^^^^^^
; hint: (tensor-transpose k 0 1) has shape (3 2)
