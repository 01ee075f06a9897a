; Order of tensors of several elements is not one truth value.
(print (< [1 2] [3 4]))

; error, status 70:
; compare_tensors.lisp:2:8: <: expected a tensor of one element, got a tensor int64 (2)
;   2 | (print (< [1 2] [3 4]))
;     |        ^^^^^^^^^^^^^^^
; hint: tensor-lt compares element by element
