; R7RS 6.13: ports, but for `read`, which has a program of its own.

; 6.13.1: kinds of ports, and ports that are lent.
(define in (open-input-string "one\ntwo λ\nthree"))
(define out (open-output-string))
(print (input-port? in) (output-port? in) (input-port? out) (output-port? out)) ; => #t #f #f #t
(print (textual-port? in) (binary-port? in) (port? in) (port? "x"))  ; => #t #f #t #f
(print (input-port-open? in) (output-port-open? out))                ; => #t #t
(print (map input-port? (list (current-input-port) (current-output-port)))) ; => (#t #f)
(print (output-port? (current-error-port)) in)                       ; => #t #<port>
(print (call-with-port (open-input-string "abc") read-char))         ; => a

; 6.13.2: input.
(write (list (read-char in) (peek-char in) (read-char in) (read-line in))) ; => (#\o #\n #\n "e")
(newline)
(write (list (read-string 5 in) (char-ready? in) (read-char in)))    ; => ("two λ" #t #\newline)
(newline)
(write (list (read-string 0 in) (read-line in) (read-line in)))      ; => ("" "three" #<eof>)
(newline)
(print (eof-object? (read-char in)) (eof-object? (peek-char in)) (eof-object)) ; => #t #t #<eof>
(print (eof-object? (read-string 3 in)) (eof-object? (read-string 0 in))) ; => #t #f
(close-input-port in)
(close-port in)
(print (input-port-open? in))                                        ; => #f

; Bytes.
(define bytes (open-input-bytevector (bytevector 1 2 3 4 5 6 7)))
(define room (make-bytevector 4 0))
(print (binary-port? bytes) (textual-port? bytes))                   ; => #t #f
(print (read-u8 bytes) (peek-u8 bytes) (u8-ready? bytes))            ; => 1 2 #t
(print (read-bytevector 2 bytes))                                    ; => #u8(2 3)
(print (read-bytevector! room bytes 1 3) room)                       ; => 2 #u8(0 4 5 0)
(print (read-bytevector! room bytes) room)                           ; => 2 #u8(6 7 5 0)
(print (read-bytevector! room bytes) (read-bytevector 1 bytes))      ; => #<eof> #<eof>
(print (read-u8 bytes) (peek-u8 bytes) (read-bytevector 0 bytes))    ; => #<eof> #<eof> #u8()

; 6.13.3: output.
(write 'a out)
(display "b c" out)
(newline out)
(write-char #\λ out)
(write-string "string" out)
(write-string "string" out 3)
(write-string "string" out 0 2)
(write (get-output-string out))                        ; => "ab c\nλstringingst"
(newline)
(close-output-port out)
(write (get-output-string out))                        ; => "ab c\nλstringingst"
(newline)
(print (output-port-open? out))                        ; => #f
(define twice (list 'a))
(write (list twice twice))                             ; => ((a) (a))
(newline)
(write-shared (list twice (vector twice)))             ; => (#0=(a) #(#0#))
(newline)
(write-simple (list twice twice))                      ; => ((a) (a))
(newline)
(set-cdr! twice twice)
(write twice)                                          ; => #0=(a . #0#)
(newline)
(display (list 1 twice))                               ; => (1 #0=(a . #0#))
(newline)
(set-cdr! twice '())
(define byte-port (open-output-bytevector))
(write-u8 1 byte-port)
(write-bytevector #u8(2 3 4 5) byte-port)
(write-bytevector #u8(2 3 4 5) byte-port 3)
(write-bytevector #u8(2 3 4 5) byte-port 1 2)
(print (get-output-bytevector byte-port))              ; => #u8(1 2 3 4 5 5 3)
(flush-output-port byte-port)
(flush-output-port)

; Files.
(define path "/tmp/lambent-test-of-ports")
(call-with-output-file path (lambda (port) (write '("x y" #\z) port) (newline port)))
(print (file-exists? path))                            ; => #t
(print (call-with-input-file path read-line))          ; => ("x y" #\z)
(with-output-to-file path (lambda () (print 1 2) (display "é")))
(write (with-input-from-file path (lambda () (list (read-line) (read-char) (read-char)))))
(newline)                                              ; => ("1 2" #\é #<eof>)
(define file (open-output-file path))
(display "flushed" file)
(flush-output-port file)
(print (call-with-input-file path read-line))          ; => flushed
(display " and closed" file)
(close-port file)
(define file (open-input-file path))
(print (read-line file))                               ; => flushed and closed
(close-input-port file)
(define file (open-binary-output-file path))
(write-bytevector #u8(255 0 10) file)
(close-output-port file)
(define file (open-binary-input-file path))
(print (read-bytevector 10 file) (read-u8 file))       ; => #u8(255 0 10) #<eof>
(close-port file)
(delete-file path)
(print (file-exists? path))                            ; => #f

; The current ports are parameters, and every way out puts them back.
(define (kept body)
  (let ((port (open-output-string)))
    (parameterize ((current-output-port port)) (body))
    (get-output-string port)))
(write (kept (lambda () (print 'a 1) (display #\b) (newline)))) ; => "a 1\nb\n"
(newline)
(print (call/cc (lambda (leave) (kept (lambda () (print 'lost) (leave 'left)))))) ; => left
(print (guard (e (#t (list 'caught e))) (kept (lambda () (raise 5))))) ; => (caught 5)
(print (parameterize ((current-input-port (open-input-string "line\nx")))
         (list (read-line) (peek-char) (char-ready?) (read-char) (read-char)))) ; => (line x #t x #<eof>)

; What goes wrong.
(define (message thunk)
  (guard (e ((error-object? e) (print (error-object-message e)) (list (file-error? e) (read-error? e))))
    (thunk)))
(print (message (lambda () (open-input-file "/no/such"))))  ; => open-input-file: cannot open "/no/such": No such file or directory
                                                            ; => (#t #f)
(print (message (lambda () (open-output-file "/"))))        ; => open-output-file: cannot open "/": Is a directory
                                                            ; => (#t #f)
(print (message (lambda () (delete-file "/no/such"))))      ; => delete-file: cannot delete "/no/such": No such file or directory
                                                            ; => (#t #f)
(print (message (lambda () (read-char in))))                ; => read-char: the port is closed
                                                            ; => (#f #f)
(print (message (lambda () (read-char out))))               ; => read-char: expected a textual input port, got #<port>
                                                            ; => (#f #f)
(print (message (lambda () (read-u8))))                     ; => read-u8: expected a binary input port, got #<port>
                                                            ; => (#f #f)
(print (message (lambda () (write 1 bytes))))               ; => write: expected a textual output port, got #<port>
                                                            ; => (#f #f)
