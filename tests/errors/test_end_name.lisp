(import (srfi 64))
(test-begin "lists")
(test-end "list")

; error, status 70:
; test_end_name.lisp:3:1: test-end: expected the name of the group, "lists", got "list"
;   3 | (test-end "list")
;     | ^^^^^^^^^^^^^^^^^
