; Lists are shorter than some indices.
(print (list-ref '(1 2) 5))

; error, status 70:
; list_index.lisp:2:8: list-ref: index 5 is out of range for length 2
;   2 | (print (list-ref '(1 2) 5))
;     |        ^^^^^^^^^^^^^^^^^^^
