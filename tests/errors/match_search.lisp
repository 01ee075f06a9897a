; A list around *** has two patterns.
(match (list 1 2) ((path *** x y) x))

; error, status 65:
; match_search.lisp:2:26: match: expected a list (pattern *** pattern) around ***, got ***
;   2 | (match (list 1 2) ((path *** x y) x))
;     |                          ^^^
