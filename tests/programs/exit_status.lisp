; exit leaves at once, with what was printed flushed.
(display "before")
(newline)                                         ; => before
(define (leave) (exit 3))
(leave)                                           ; exits 3
(print "never")
