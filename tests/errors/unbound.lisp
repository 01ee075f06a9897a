; An unknown name, with a near one suggested.
(define (average numbers) (/ (apply + numbers) (length numbers)))
(print (averge '(1 2 3)))
