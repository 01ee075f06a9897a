; list-set! behind the end.
(list-set! (list 1 2) 2 'x)

; error, status 70:
; list_set_index.lisp:2:1: list-set!: index 2 is out of range for length 2
;   2 | (list-set! (list 1 2) 2 'x)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
