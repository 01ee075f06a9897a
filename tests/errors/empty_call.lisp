; The empty combination.
(print ())
