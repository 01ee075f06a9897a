;; ports.lisp - the current ports, and procedures that lend a port.

(define (current-input-port)
  "The port that is read from where a call names none."
  (%current-port 0))

(define (current-output-port)
  "The port that is written to where a call names none."
  (%current-port 1))

(define (current-error-port)
  "The port for messages that do not belong to the output."
  (%current-port 2))

(define (call-with-port port f)
  "The result of f on the port, which is closed afterwards."
  (let ((result (f port)))
    (close-port port)
    result))

(define (call-with-input-file path f)
  "The result of f on a port that reads the file, which is closed afterwards."
  (call-with-port (open-input-file path) f))

(define (call-with-output-file path f :append #f)
  "The result of f on a port that writes the file, which is closed afterwards.
  With :append #t, what the file holds is kept."
  (call-with-port (open-output-file path :append append) f))

(define (call-with-output-string f)
  "The string that f writes to the port that it is called with."
  (let ((port (open-output-string)))
    (f port)
    (get-output-string port)))

(define (port->lines port)
  "The lines that are left in a port, as a list of strings."
  (let loop ((lines '()))
    (let ((line (read-line port)))
      (if (eof-object? line)
          (reverse lines)
          (loop (cons line lines))))))
