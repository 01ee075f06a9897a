; Strings have ends, too.
(print (string-ref "abc" 10))
