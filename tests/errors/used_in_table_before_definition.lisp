(define table (list (lambda () (later))))
(define results (map (lambda (f) (f)) table))
(define (later) 1)

; error, status 70:
; used_in_table_before_definition.lisp:1:33: unbound variable: later
;   1 | (define table (list (lambda () (later))))
;     |                                 ^^^^^
;   in lambda, called at used_in_table_before_definition.lisp:2:17
