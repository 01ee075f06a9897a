; The same from lists, at run time.
(print (tensor '((1 2) (3))))

; error, status 70:
; ragged_data.lisp:2:8: tensor: ragged data: expected a row of 2 at index 1, got (3)
;   2 | (print (tensor '((1 2) (3))))
;     |        ^^^^^^^^^^^^^^^^^^^^^
