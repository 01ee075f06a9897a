;; hello.lisp - the first program.

(print "Hello, world!")
