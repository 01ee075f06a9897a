;; No call in sight has the name, so the place is the whole call.
(print (map tensor-sofmax (list [1.0])))

; error, status 70:
; unknown_operator_value.lisp:2:8: unknown operator: tensor-sofmax
;   2 | (print (map tensor-sofmax (list [1.0])))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: did you mean tensor-softmax?
