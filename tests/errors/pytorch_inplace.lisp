; PyTorch's keyword for what has a name of its own here.
(print (tensor-relu [1.0] :inplace #t))
