; A top-level name used before its definition has run.
(define (f) later)
(print (f))
(define later 1)
