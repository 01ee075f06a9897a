; An index that no vector has.
(print (vector-ref (vector 1 2) -1))
