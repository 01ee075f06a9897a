; Commas as in Python are unquotes, which only a quasiquote takes.
(print [[1,2],[3,4]])

; error, status 65:
; commas_between_elements.lisp:2:11: unquote: expected inside a quasiquote
;   2 | (print [[1,2],[3,4]])
;     |           ^^
; hint: elements and arguments are separated by spaces, not by commas
