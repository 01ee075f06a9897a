; Only one element makes a number.
(print (tensor-item [1 2]))

; error, status 70:
; item_of_many.lisp:2:8: tensor-item: expected a tensor of one element, got a tensor int64 (2)
;   2 | (print (tensor-item [1 2]))
;     |        ^^^^^^^^^^^^^^^^^^^
; hint: tensor->list returns all elements
