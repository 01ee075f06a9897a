; An ellipsis follows what it repeats.
(match '(1 2) ((... x) x))

; error, status 65:
; match_ellipsis_first.lisp:2:17: match: expected a pattern before the ellipsis, got ...
;   2 | (match '(1 2) ((... x) x))
;     |                 ^^^
