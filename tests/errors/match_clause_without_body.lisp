; A clause has at least one form.
(match 5 ((? number?)))

; error, status 65:
; match_clause_without_body.lisp:2:1: match: expected (pattern [(=> next)] [:when test] form ...) for a clause, got ((? number?))
;   2 | (match 5 ((? number?)))
;     | ^^^^^^^^^^^^^^^^^^^^^^^
