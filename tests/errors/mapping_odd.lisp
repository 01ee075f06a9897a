; A key without a value.
(import (srfi 128) (srfi 146))
(mapping (make-default-comparator) 'ann 31 'bob)

; error, status 70:
; mapping_odd.lisp:3:1: mapping: expected a value for each key, got none for: bob
;   3 | (mapping (make-default-comparator) 'ann 31 'bob)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
