; A string without its end.
(print "abc)
