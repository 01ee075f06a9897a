; A tensor is described by dtype and shape, a procedure as one.
(print (string-length [[1.0 2.0]]))
