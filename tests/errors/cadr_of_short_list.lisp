; An accessor of accessors.
(print (cadr '(1)))
