; Too few arguments to a procedure of the program.
(define (area width height) (* width height))
(print (area 3))
