; A private operator of LibTorch that the program does not ask for.
(define (shares x)
  (tensor--softmax x 0 #f))
(shares [1.0 2.0])

; error, status 70:
; private_operator.lisp:3:4: unknown operator: tensor--softmax
;   3 |   (tensor--softmax x 0 #f))
;     |    ^^^^^^^^^^^^^^^
; hint: tensor-private--softmax is LibTorch's private operator, which may check less
;   in shares, called at private_operator.lisp:4:1
