; A name of PyTorch's that has no procedure: what to write in its place.
(define (evaluate model x) (with torch.no_grad (forward model x)))
(print (evaluate tensor-relu [1.0]))
