; The comparator of a mapping has an order.
(import (srfi 128) (srfi 146))
(mapping (make-eqv-comparator) 1 2)

; error, status 70:
; mapping_unordered.lisp:3:1: mapping: the comparator has no order; (make-default-comparator) has one
;   3 | (mapping (make-eqv-comparator) 1 2)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
