;; 6.14: emergency-exit leaves at once.  What was printed is printed.
(dynamic-wind
 (lambda () (print "in"))  ; => in
 (lambda () (emergency-exit 3))  ; exits 3
 (lambda () (print "never")))
