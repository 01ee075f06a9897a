; A key without a value.
(define (f) (+ 1 (hash-table 'a 1 'b)))
(print (f))

; error, status 70:
; hash_table_odd.lisp:2:18: hash-table: expected alternating keys and values, got a key without a value b
;   2 | (define (f) (+ 1 (hash-table 'a 1 'b)))
;     |                  ^^^^^^^^^^^^^^^^^^^^
;   in f, called at hash_table_odd.lisp:3:8
