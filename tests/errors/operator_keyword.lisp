; An operator's keyword that its schema does not have.
(print (tensor-sum [1.0] :dimension 0))
