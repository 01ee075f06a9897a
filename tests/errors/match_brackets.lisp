; A clause as other languages write it.
(match '(1 2) [(a b) a])

; error, status 65:
; match_brackets.lisp:2:1: match: expected (pattern [(=> next)] [:when test] form ...) for a clause, got [(a b) a]
;   2 | (match '(1 2) [(a b) a])
;     | ^^^^^^^^^^^^^^^^^^^^^^^^
; hint: [...] is a tensor: write ((a b) a)
