; An alist is no hash table.
(hash-for-each '((a . 1)) print)

; error, status 70:
; hash_wrong_type.lisp:2:1: hash-for-each: expected a hash table, got ((a . 1))
;   2 | (hash-for-each '((a . 1)) print)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (assoc key list) looks in a list of pairs, (alist->hash-table list) makes a table of one
