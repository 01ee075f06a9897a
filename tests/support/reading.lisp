; For test_read.py: reads strings from the standard input, and shows the data in each of them.
; It mentions `tensor-shape`, so the executable can read tensors, too.

(define (written x)
  (call-with-output-string (lambda (port) (write x port))))

(define (check x)
  "Say so if x is not the same when it has been written and read."
  (let ((again (read (open-input-string (written x)))))
    (unless (equal? x again)
      (display "NOT THE SAME: ")
      (write again)
      (newline))))

(define (show-data text)
  "Print the data in a text, and the rest of the text after an error."
  (let ((port (open-input-string text)))
    (let loop ()
      (let ((x (guard (e ((read-error? e)
                          (display (error-object-message e))
                          (newline)
                          (write (port->string port))
                          (newline)
                          (eof-object)))
                 (read port))))
        (unless (eof-object? x)
          (when (tensor? x) (write (tensor-shape x)))
          (write x)
          (newline)
          (check x)
          (loop))))))

(let loop ()
  (let ((text (read)))
    (unless (eof-object? text)
      (write text)
      (newline)
      (show-data text)
      (loop))))
