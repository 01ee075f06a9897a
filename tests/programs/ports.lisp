; Ports: what Lambent adds to R7RS.
(print (with-output-to-string (lambda () (display "a") (write "b"))))  ; => a"b"
(print (call-with-output-string (lambda (port) (write 'x port))))      ; => x
(print (with-input-from-string "1 2\n3" read-line))                    ; => 1 2
(write (port->string (open-input-string "a\nb\n")))                    ; => "a\nb\n"
(newline)
(write (port->lines (open-input-string "a\n\nb")))                     ; => ("a" "" "b")
(newline)
(define path "/tmp/lambent-test-of-append")
(call-with-output-file path (lambda (port) (display "one\n" port)))
(call-with-output-file path (lambda (port) (display "two\n" port)) :append #t)
(define port (open-output-file path :append #t))
(display "three\n" port)
(set! port #f)                                ; nobody refers to it: it is closed
(print (read-lines path))                     ; => (one two three)
(with-output-to-file path (lambda () (display "four\n")) :append #t)
(print (length (read-lines path)))            ; => 4

; Long lines, and lines that the buffer cuts.
(define long (make-string 200000 #\λ))
(with-output-to-file path (lambda () (dotimes (i 3) (display long) (newline))))
(print (map string-length (read-lines path))) ; => (200000 200000 200000)
(print (call-with-input-file path (lambda (port) (string-length (read-string 500000 port))))) ; => 500000

; Text that is no UTF-8 is read up to there.
(call-with-port (open-binary-output-file path)
  (lambda (port) (write-bytevector #u8(65 10 206 187 255 10) port)))
(define port (open-input-file path))
(print (read-line port) (read-char port))     ; => A λ
(define (failure thunk)
  (guard (e ((read-error? e) (error-object-message e))) (thunk)))
(print (failure (lambda () (read-line port)))) ; => read-line: "/tmp/lambent-test-of-append" is not UTF-8 text (byte 4)
(print (failure (lambda () (read-char port)))) ; => #<eof>
(delete-file path)

; Circles in what is printed.  Constants: what a program ties into circles is never given back.
(define circle '#0=(1 2 3 . #0#))
(print circle)                                ; => #0=(1 2 3 . #0#)
(define vector-circle '#0=#(#1=(1 2 3 . #1#) #0#))
(write vector-circle)                         ; => #0=#(#1=(1 2 3 . #1#) #0#)
(newline)
(define shared (list 'a))
(write (list shared shared))                  ; => ((a) (a))
(newline)
(write-shared (list shared (vector shared)))  ; => (#0=(a) #(#0#))
(newline)
(write-simple (list shared shared))           ; => ((a) (a))
(newline)
(define (nest depth) (let loop ((k 0) (x '())) (if (= k depth) x (loop (+ k 1) (list x)))))
(print (string-length (string (nest 1000000)))) ; => 2000002
