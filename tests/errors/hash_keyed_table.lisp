; hash-ref and the other procedures of Lambent's own tables do not take one with its own equivalence.

(define names (make-hash-table string-ci=?))

(define (first-name)
  (hash-ref names "a"))

(display (list (first-name)))

; error, status 70:
; hash_keyed_table.lisp:6:3: hash-ref: expected a hash table by equal? or eqv?, got #<hash-table>
;   6 |   (hash-ref names "a"))
;     |   ^^^^^^^^^^^^^^^^^^^^
; hint: hash-table-ref, hash-table-set! and the other procedures of SRFI 69 take all tables
;   in first-name, called at hash_keyed_table.lisp:8:16
