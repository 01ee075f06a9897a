; An operator's argument of the wrong type.
(print (tensor-sum "text"))

; error, status 70:
; operator_argument.lisp:2:8: tensor-sum: expected a tensor, got "text"
;   2 | (print (tensor-sum "text"))
;     |        ^^^^^^^^^^^^^^^^^^^
; hint: usage: (tensor-sum self [:dtype #f])
;   or (tensor-sum self dim [keepdim] [:dtype #f]): expected at least 2 arguments, got 1
