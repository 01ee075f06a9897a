; An anonymous procedure called with nothing.
(print ((lambda (x) x)))
