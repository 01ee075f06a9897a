; A closing bracket too many.
(print 1))
