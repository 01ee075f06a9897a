; A procedure where a number should be.
(print (sqrt car))
