; A hint names the parameter where it cannot quote the call, which is not on one line.
(print (tensor-matmul (tensor-ones 2 3)
                      (tensor-ones 2 3)))

; error, status 70:
; tensor_call_on_lines.lisp:2:8: tensor-matmul: inner sizes differ: (2 3) times (2 3)
;   2 | (print (tensor-matmul (tensor-ones 2 3)
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-transpose other 0 1) has shape (3 2)
