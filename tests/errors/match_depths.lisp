; A name cannot be one element and a list of them.
(match '(1 1 2) ((a a ...) a))

; error, status 65:
; match_depths.lisp:2:21: match: a appears twice, and not with the same ellipsis
;   2 | (match '(1 1 2) ((a a ...) a))
;     |                     ^
; hint: give one of them another name than a
