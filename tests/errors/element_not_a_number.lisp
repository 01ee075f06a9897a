; Elements are numbers, booleans, or tensors of one shape.
(define word "two")
(print [1 word])
