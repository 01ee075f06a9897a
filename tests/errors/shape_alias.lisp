; `@` is tensor-matmul, and the hint takes its argument's text from the call.
(define q (tensor-ones 2 3))
(define k (tensor-ones 2 3))
(print (@ q k))
