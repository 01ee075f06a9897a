; Lists are shorter than some indices.
(print (list-ref '(1 2) 5))
