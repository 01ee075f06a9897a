;; json-lines.lisp - texts with one JSON value on each line.

(define (json-lines->generator source)
  "A generator of the values of a text that has a JSON value on each line: each
  call reads one line and returns its value, or the end-of-file object after the
  last one.

  source: the path of a file, which is closed after its last line, or a port.
  Empty lines are skipped.  A line that is not JSON is an error that names the
  line; the next call goes on after it."
  (let* ((path? (string? source))
         (who (if path?
                  (string "json-lines: " source ", ")
                  "json-lines: "))
         (port (%json-lines-port "json-lines->generator" source))
         (line 0))
    (lambda ()
      (let loop ()
        (let ((text (if (input-port-open? port)
                        (read-line port)
                        (eof-object))))
          (set! line (+ line 1))
          (cond ((eof-object? text)
                 (when path?
                   (close-port port))
                 text)
                ((string-null? (string-trim text)) (loop))
                (else (%json-value text who line #t))))))))

(define (%json-lines-port who source)
  "The port that the lines are read from."
  (cond ((string? source) (open-input-file source))
        ((and (input-port? source) (textual-port? source)) source)
        (else
         (wrong-type who "a path or a textual input port" source))))

(define (for-each-json-line f source)
  "Call f with each value of a text that has a JSON value on each line: source
  is the path of a file, or a port.  Only one line is held at a time."
  (let ((next (json-lines->generator source)))
    (let loop ()
      (let ((value (next)))
        (unless (eof-object? value)
          (f value)
          (loop))))))

(define (read-json-lines source)
  "The values of a text that has a JSON value on each line, as a list: source is
  the path of a file, or a port."
  (let ((next (json-lines->generator source)))
    (let loop ((values '()))
      (let ((value (next)))
        (if (eof-object? value)
            (reverse values)
            (loop (cons value values)))))))

(define (write-json-lines values destination :append #f)
  "Write each value of a list as a line of JSON, to the path of a file or to a
  port.  With :append #t the old lines of the file are kept."
  (cond ((string? destination)
         (call-with-output-file destination
           (lambda (port) (%write-json-lines values port))
           :append append))
        ((and (output-port? destination) (textual-port? destination))
         (%write-json-lines values destination))
        (else
         (wrong-type "write-json-lines" "a path or a textual output port"
                     destination))))

(define (%write-json-lines values port)
  (for-each (lambda (value)
              (write-string (json->string value) port)
              (newline port))
            values))
