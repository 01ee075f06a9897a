; What SRFI 204 has more.
(match '(1 2) ((a (set! put)) (put 3)))

; error, status 65:
; match_set_pattern.lisp:2:19: match: expected a pattern other than set! and get!, which are not available, got (set! put)
;   2 | (match '(1 2) ((a (set! put)) (put 3)))
;     |                   ^^^^^^^^^^
