; A key that is not there, and no default.
(define t (hash-table "a" 1))
(define (f k) (+ 1 (hash-ref t k)))
(print (f "b"))

; error, status 70:
; hash_no_key.lisp:3:20: hash-ref: no such key: "b"
;   3 | (define (f k) (+ 1 (hash-ref t k)))
;     |                    ^^^^^^^^^^^^^^
;   in f, called at hash_no_key.lisp:4:8
