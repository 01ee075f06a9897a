; A definition of no name.
(define 5 6)
