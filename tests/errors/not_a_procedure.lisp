; A call of something that is no procedure.
(define five 5)
(print (five 1 2))
