; The accessors say what they got, as write shows it.
(define (second-of l) (car (cdr l)))
(print (second-of '("only")))
