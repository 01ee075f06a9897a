;; A table of a million columns at most: each is a tensor or a list, which takes a kilobyte.
(define path "/tmp/lambent-test-wide-tables")
(define (row! n)
  (call-with-output-file path
    (lambda (port)
      (write-string (string-append (make-string (- n 1) #\,) "1\n") port))))
(define-syntax try
  (syntax-rules ()
    ((_ e) (guard (x ((error-object? x) (print (error-object-message x))))
             (print e)))))
(row! 20000)
(try (hash-table-count (read-table path)))  ; => 20000
(row! 1000001)
(try (hash-table-count (read-table path)))  ; => read-table: "/tmp/lambent-test-wide-tables", line 1, column 1000001: a table has at most 1000000 columns
(try (length (car (read-csv path))))  ; => 1000001
