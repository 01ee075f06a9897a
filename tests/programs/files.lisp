; Reading text: lines, fields, characters, the end of the file.
(define path "tests/programs/data/points.csv")
(define port (open-input-file path))
(print (read-line port))                          ; => x,y,label
(print (read-char port) (read-line port))         ; => 1 ,2.5,a
(let loop ((line (read-line port)) (n 0))
  (if (eof-object? line)
      (print n)                                   ; => 2
      (loop (read-line port) (+ n 1))))
(print (eof-object? (read-line port)) (port? port)) ; => #t #t
(close-port port)
(define (read-all port)
  (let loop ((lines '()))
    (let ((line (read-line port)))
      (if (eof-object? line) (reverse lines) (loop (cons line lines))))))
(define lines (read-all (open-input-file path)))
(print (map (lambda (line) (string->number (car (string-split line ",")))) (cdr lines))) ; => (1 3 -4)
(print (file-exists? path) (file-exists? "no-such-file")) ; => #t #f
