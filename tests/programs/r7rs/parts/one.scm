(define part-one 1)
