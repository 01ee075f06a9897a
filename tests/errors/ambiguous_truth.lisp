; A bool tensor of several elements is neither true nor false.
(print (if (tensor-gt [1 2] 1) 'yes 'no))
