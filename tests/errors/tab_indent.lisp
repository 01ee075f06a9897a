; Tabs before the place are kept in the caret's line.
(define (f x)
	(car x))
(f 1)
