; What a dtype cannot hold is no element.
(print (tensor '(1 2 300) :dtype 'uint8))

; error, status 70:
; dtype_too_small.lisp:2:8: tensor: 300 does not fit into uint8
;   2 | (print (tensor '(1 2 300) :dtype 'uint8))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: uint8 holds 0 to 255
