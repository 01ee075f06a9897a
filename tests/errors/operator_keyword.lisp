; An operator's keyword that its schema does not have.
(print (tensor-sum [1.0] :dimension 0))

; error, status 70:
; operator_keyword.lisp:2:8: tensor-sum: unknown keyword :dimension
;   2 | (print (tensor-sum [1.0] :dimension 0))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (tensor-sum self [:dtype #f])
;   or (tensor-sum self dim [keepdim] [:dtype #f])
