; A boolean is no number.
(print (+ 1 #t))
