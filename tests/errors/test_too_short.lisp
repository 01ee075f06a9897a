(import (srfi 64))
(test-begin "a")
(test-eqv 5)

; error, status 65:
; test_too_short.lisp:3:1: test-eqv: no rule matches (test-eqv 5)
;   3 | (test-eqv 5)
;     | ^^^^^^^^^^^^
; hint: usage: (test-eqv name expected expression) or (test-eqv expected expression)
