; A range of counts is given as one.
(print (substring "abc"))
