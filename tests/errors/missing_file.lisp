; A file that the running program cannot open.
(define (load-rows path) (read-line (open-input-file path)))
(print (load-rows "no-such-file.csv"))
