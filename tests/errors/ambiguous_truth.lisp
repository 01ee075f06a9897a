; A bool tensor of several elements is neither true nor false.
(print (if (tensor-gt [1 2] 1) 'yes 'no))

; error, status 70:
; ambiguous_truth.lisp:2:12: a bool tensor of shape (2) has no single truth value
;   2 | (print (if (tensor-gt [1 2] 1) 'yes 'no))
;     |            ^^^^^^^^^^^^^^^^^^^
; hint: use tensor-any or tensor-all
