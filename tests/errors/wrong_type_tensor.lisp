; A tensor is described by dtype and shape, a procedure as one.
(print (string-length [[1.0 2.0]]))

; error, status 70:
; wrong_type_tensor.lisp:2:8: string-length: expected a string, got a tensor float32 (1 2)
;   2 | (print (string-length [[1.0 2.0]]))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: [...] is a tensor; (string x) makes a string of any value
