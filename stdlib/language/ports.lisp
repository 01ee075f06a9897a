;; ports.lisp - the current ports, and procedures that call others with a port.

;; The current ports are parameters.

(define (%current-input-port x)
  "x, if it can be current-input-port."
  (if (input-port? x)
      x
      (wrong-type "current-input-port" "an input port" x)))

(define (%current-output-port x)
  "x, if it can be current-output-port."
  (if (output-port? x)
      x
      (wrong-type "current-output-port" "an output port" x)))

(define (%textual-output-port x)
  "x, if errors can be written to it."
  (if (and (output-port? x) (textual-port? x))
      x
      (wrong-type "current-error-port" "a textual output port" x)))

(define current-input-port
  (%port-parameter 0 %current-input-port %set-parameter!))
(define current-output-port
  (%port-parameter 1 %current-output-port %set-parameter!))
(define current-error-port
  (%port-parameter 2 %textual-output-port %set-parameter!))

;; A port for a call.

(define (call-with-port port f)
  "The result of f on the port, which is closed afterwards."
  (let ((result (f port)))
    (close-port port)
    result))

(define (call-with-input-file path f :encoding #f :invalid #f)
  "The result of f on a port that reads the file, which is closed afterwards.
  The keywords are those of open-input-file."
  (call-with-port (open-input-file path :encoding encoding :invalid invalid) f))

(define (call-with-output-file path f :append #f :encoding #f :invalid #f)
  "The result of f on a port that writes the file, which is closed afterwards.
  The keywords are those of open-output-file: with :append #t, the file's
  contents are kept."
  (call-with-port
   (open-output-file path :append append :encoding encoding :invalid invalid)
   f))

(define (call-with-output-string f)
  "The string that f writes to the port that it is called with."
  (let ((port (open-output-string)))
    (f port)
    (get-output-string port)))

;; Another current port for a call.

(define (with-input-from-file path thunk :encoding #f :invalid #f)
  "The result of the thunk; the current input port reads the file meanwhile.
  The keywords are those of open-input-file."
  (call-with-input-file path
    (lambda (port)
      (parameterize ((current-input-port port)) (thunk)))
    :encoding encoding
    :invalid invalid))

(define (with-output-to-file path thunk :append #f :encoding #f :invalid #f)
  "The result of the thunk; the current output port writes the file meanwhile.
  The keywords are those of open-output-file: with :append #t, the file's
  contents are kept."
  (call-with-output-file path
    (lambda (port)
      (parameterize ((current-output-port port)) (thunk)))
    :append append
    :encoding encoding
    :invalid invalid))

(define (with-input-from-string text thunk)
  "The result of the thunk; the current input port reads the string meanwhile."
  (parameterize ((current-input-port (open-input-string text))) (thunk)))

(define (with-output-to-string thunk)
  "The string that the thunk writes to the current output port."
  (call-with-output-string
    (lambda (port)
      (parameterize ((current-output-port port)) (thunk)))))

;; The contents of a port.

(define (port->lines . ports)
  "The remaining lines of a port, as a list of strings."
  (let ((port (%optional "port->lines" 0 ports (current-input-port))))
    (let loop ((lines '()))
      (let ((line (read-line port)))
        (if (eof-object? line)
            (reverse lines)
            (loop (cons line lines)))))))

(define (port->generator port . read)
  "A generator, after SRFI 158, of what read returns for an input port: each
  call reads once more, and returns the end-of-file object at the end.  The
  default is read-line, or read-u8 for a binary port; others are read, read-char
  and read-json."
  (unless (input-port? port)
    (wrong-type "port->generator" "an input port" port))
  (let ((read (%optional "port->generator" 1 read
                         (if (binary-port? port) read-u8 read-line))))
    (unless (procedure? read)
      (wrong-type "port->generator" "a procedure" read))
    (lambda () (read port))))
