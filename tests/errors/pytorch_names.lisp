; A function by PyTorch's name.
(print (torch.nn.functional.relu [1.0]))

; error, status 70:
; pytorch_names.lisp:2:9: unbound variable: torch.nn.functional.relu
;   2 | (print (torch.nn.functional.relu [1.0]))
;     |         ^^^^^^^^^^^^^^^^^^^^^^^^
; hint: did you mean tensor-relu?
