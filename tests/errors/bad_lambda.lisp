; The same parameter twice.
(define f (lambda (x x) x))
