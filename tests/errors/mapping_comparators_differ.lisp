; Mappings of two comparators are not united.
(import (srfi 128) (srfi 146))
(mapping-union (mapping (make-default-comparator) 1 2)
               (mapping (make-default-comparator) 3 4))

; error, status 70:
; mapping_comparators_differ.lisp:3:1: mapping-union: the comparators differ; make all with one
;   3 | (mapping-union (mapping (make-default-comparator) 1 2)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
