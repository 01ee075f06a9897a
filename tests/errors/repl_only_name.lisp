; What only a REPL has.
(print (apropos "tensor-cum"))

; error, status 70:
; repl_only_name.lisp:2:9: unbound variable: apropos
;   2 | (print (apropos "tensor-cum"))
;     |         ^^^^^^^
; hint: only the REPL has these; `lambent doc NAME` in the shell
