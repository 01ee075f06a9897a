; Generic arithmetic names itself as it was written.
(define a (tensor-ones 2 3))
(print (+ a [1 2]))
