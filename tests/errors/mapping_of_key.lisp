; A key that the comparator does not know.
(import (srfi 128) (srfi 146))
(define ages (mapping (make-comparator symbol? eq? symbol<? symbol-hash) 'ann 31))
(mapping-set ages "bob" 32)

; error, status 70:
; mapping_of_key.lisp:4:1: mapping: expected a key that the comparator can compare, got "bob"
;   4 | (mapping-set ages "bob" 32)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
