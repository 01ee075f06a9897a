; So for the integer divisions.
(print (modulo 5 0))
