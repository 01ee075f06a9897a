(define (three) 3)
