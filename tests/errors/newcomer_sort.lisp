; The order as a symbol.
(print (vector-sort #(2 1) '<))

; error, status 70:
; newcomer_sort.lisp:2:8: sort: expected a procedure, got <
;   2 | (print (vector-sort #(2 1) '<))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^
