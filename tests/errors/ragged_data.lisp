; The same from lists, at run time.
(print (tensor '((1 2) (3))))
