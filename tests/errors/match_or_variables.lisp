; The alternatives of an or bind the same names.
(match '(1 2) ((or (a b) (a)) (+ a b)))

; error, status 65:
; match_or_variables.lisp:2:16: match: only some alternatives of or bind b
;   2 | (match '(1 2) ((or (a b) (a)) (+ a b)))
;     |                ^^^^^^^^^^^^^^
; hint: bind b in each of them, or write _ for it
