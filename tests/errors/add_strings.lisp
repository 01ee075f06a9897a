; Strings do not add.
(print (+ "a" "b"))
