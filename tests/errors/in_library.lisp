; An error in a procedure that the library calls: the library's own frames are left out.
(define (half x) (/ x 0))
(print (map half '(1 2)))
