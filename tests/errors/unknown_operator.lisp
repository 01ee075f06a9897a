; An operator that LibTorch does not have.
(print (tensor-sofmax [1.0 2.0] 0))
