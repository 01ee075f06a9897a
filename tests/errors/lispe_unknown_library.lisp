(use 'lispe_nothing)
(println 1)

; error, status 65:
; lispe_unknown_library.lisp:1:1: use: unknown library lispe_nothing
;   1 | (use 'lispe_nothing)
;     | ^^^^^^^^^^^^^^^^^^^^
; hint: Lambent has lispe_torch, which includes lispe_tiktoken
