; hash-update! of a key that is not there.
(hash-update! (make-hash-table) 'a (lambda (x) x))

; error, status 70:
; hash_update_no_key.lisp:2:1: hash-update!: no such key: a
;   2 | (hash-update! (make-hash-table) 'a (lambda (x) x))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
