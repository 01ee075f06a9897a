; A keyword argument without its colon.
(tensor-sum [1 2] dim 0)

; error, status 70:
; newcomer_keyword.lisp:2:19: unbound variable: dim
;   2 | (tensor-sum [1 2] dim 0)
;     |                   ^^^
; hint: a keyword argument begins with a colon: :dim value
