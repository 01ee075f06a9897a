; Too many arguments to a primitive.
(print (car '(1) '(2)))
