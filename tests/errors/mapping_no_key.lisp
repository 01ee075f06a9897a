; No value, and no procedure for that case.
(import (srfi 128) (srfi 146))
(define ages (mapping (make-default-comparator) 'ann 31))
(mapping-ref ages 'bob)

; error, status 70:
; mapping_no_key.lisp:4:1: mapping-ref: there is no such key: bob
;   4 | (mapping-ref ages 'bob)
;     | ^^^^^^^^^^^^^^^^^^^^^^^
