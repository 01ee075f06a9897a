; A near name is suggested.
(print (tensor '(1) :dtype 'flota32))

; error, status 70:
; dtype_misspelt.lisp:2:8: tensor: unknown dtype: flota32
;   2 | (print (tensor '(1) :dtype 'flota32))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: did you mean float32?
