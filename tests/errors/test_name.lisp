(import (srfi 64))
(test-begin "names")
(test-equal 4 (+ 2 2) "sum")

; error, status 70:
; test_name.lisp:3:1: test-equal: expected a string for the name, got 4
;   3 | (test-equal 4 (+ 2 2) "sum")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
