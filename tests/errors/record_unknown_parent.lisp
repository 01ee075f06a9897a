; A type extends only what define-record-type has defined.
(define parent 5)
(define-record-type (child parent) (make-child x) child? (x child-x))

; error, status 65:
; record_unknown_parent.lisp:3:28: define-record-type: expected the name of a record type, got parent
;   3 | (define-record-type (child parent) (make-child x) child? (x child-x))
;     |                            ^^^^^^
; hint: define it before with define-record-type
