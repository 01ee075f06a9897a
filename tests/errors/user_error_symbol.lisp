; A message that is no string is shown as write shows it.
(error 'my-procedure "went wrong" 42)

; error, status 70:
; user_error_symbol.lisp:2:1: my-procedure "went wrong" 42
;   2 | (error 'my-procedure "went wrong" 42)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
