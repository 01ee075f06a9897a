;; one_tensor.lisp - the smallest program that needs LibTorch.

(print (tensor-zeros 2 2))
