; The same from lists, at run time.
(print (tensor '((1 2) (3))))

; error, status 70:
; ragged_data.lisp:2:8: tensor: ragged: lists of 2 and 1 elements
;   2 | (print (tensor '((1 2) (3))))
;     |        ^^^^^^^^^^^^^^^^^^^^^
