; The accessors say what they got, as write shows it.
(define (second-of l) (car (cdr l)))
(print (second-of '("only")))

; error, status 70:
; car_of_non_pair.lisp:2:23: car: expected a pair, got ()
;   2 | (define (second-of l) (car (cdr l)))
;     |                       ^^^^^^^^^^^^^
;   in second-of, called at car_of_non_pair.lisp:3:8
