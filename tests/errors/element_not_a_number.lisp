; Elements are numbers, booleans, or tensors of one shape.
(define word "two")
(print [1 word])

; error, status 70:
; element_not_a_number.lisp:3:8: tensor: expected a number or a tensor, got "two"
;   3 | (print [1 word])
;     |        ^^^^^^^^
; hint: [...] is a tensor of numbers; write a call or a binding in (...), other elements as (list ...)
