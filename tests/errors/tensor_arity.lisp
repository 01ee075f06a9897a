; Too few arguments: the message says how many there may be, the hint which.
(print (tensor-softmax [1.0 2.0]))

; error, status 70:
; tensor_arity.lisp:2:8: tensor-softmax: expected at least 2 arguments, got 1
;   2 | (print (tensor-softmax [1.0 2.0]))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (tensor-softmax self dim [dtype])
