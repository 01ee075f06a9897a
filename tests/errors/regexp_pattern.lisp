; The index is that of the character at which PCRE2 stopped.
(pregexp "é(b")

; error, status 70:
; regexp_pattern.lisp:2:1: pregexp: missing closing parenthesis, at index 3 of "é(b"
;   2 | (pregexp "é(b")
;     | ^^^^^^^^^^^^^^^
