; Order of tensors of several elements is not one truth value.
(print (< [1 2] [3 4]))
