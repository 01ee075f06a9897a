; An empty mapping has no least key.
(import (srfi 128) (srfi 146))
(mapping-min-key (mapping (make-default-comparator)))

; error, status 70:
; mapping_empty.lisp:3:1: mapping-min-key: there are no keys
;   3 | (mapping-min-key (mapping (make-default-comparator)))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
