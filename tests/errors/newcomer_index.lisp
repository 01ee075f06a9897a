; A tensor of one element is not an index of a list.
(print (list-ref (list 1 2 3) (tensor 1)))

; error, status 70:
; newcomer_index.lisp:2:8: list-ref: expected a non-negative exact integer, got a tensor int64 ()
;   2 | (print (list-ref (list 1 2 3) (tensor 1)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-item t) makes a number of a tensor of one element
