; The first argument is a comparator.
(import (srfi 146))
(mapping 'ann 31)

; error, status 70:
; mapping_comparator.lisp:3:1: mapping: expected a comparator, got ann
;   3 | (mapping 'ann 31)
;     | ^^^^^^^^^^^^^^^^^
