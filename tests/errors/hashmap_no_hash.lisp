; The comparator of a hashmap has a hash function.
(import (srfi 128) (srfi 146 hash))
(hashmap (make-comparator symbol? eq? #f #f) 'a 1)

; error, status 70:
; hashmap_no_hash.lisp:3:1: hashmap: the comparator has no hash function; (make-default-comparator) has one
;   3 | (hashmap (make-comparator symbol? eq? #f #f) 'a 1)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
