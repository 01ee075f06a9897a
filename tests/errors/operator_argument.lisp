; An operator's argument of the wrong type.
(print (tensor-sum "text"))
