; Binary ports as the current ones.
(define out (open-output-bytevector))
(parameterize ((current-output-port out))
  (write-u8 7)
  (write-bytevector #u8(1 2 3) (current-output-port) 1)
  (write-bytevector #u8(9))
  (flush-output-port))
(print (get-output-bytevector out) (binary-port? (current-output-port))) ; => #u8(7 2 3 9) #f
(print (parameterize ((current-input-port (open-input-bytevector #u8(1 2 3 4 5 6 7)))) (let* ((ready (u8-ready?)) (peeked (peek-u8)) (a (read-u8)) (b (read-bytevector 2)) (c (make-bytevector 3 0)) (n (read-bytevector! c))) (list ready peeked a b c n (read-u8) (eof-object? (read-u8)))))) ; => (#t 1 1 #u8(2 3) #u8(4 5 6) 3 7 #t)
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (within-output thunk) (lambda () (parameterize ((current-output-port (open-output-bytevector))) (thunk))))
(define (within-input thunk) (lambda () (parameterize ((current-input-port (open-input-bytevector #u8(65)))) (thunk))))
(print (message (within-output (lambda () (display 1))))) ; => display: expected a textual output port, got #<port>
(print (message (within-output (lambda () (write 'a))))) ; => write: expected a textual output port, got #<port>
(print (message (within-output (lambda () (newline))))) ; => newline: expected a textual output port, got #<port>
(print (message (within-output (lambda () (print 1))))) ; => print: expected a textual output port, got #<port>
(print (message (within-output (lambda () (write-string "a"))))) ; => write-string: expected a textual output port, got #<port>
(print (message (within-output (lambda () (write-char #\a))))) ; => write-char: expected a textual output port, got #<port>
(print (message (within-output (lambda () (format #t "~a" 1))))) ; => display: expected a textual output port, got #<port>
(print (message (within-output (lambda () (write-shared '(1)))))) ; => write-shared: expected a textual output port, got #<port>
(print (message (within-output (lambda () (pretty-print '(1)))))) ; => display: expected a textual output port, got #<port>
(print (message (within-input (lambda () (read-char))))) ; => read-char: expected a textual input port, got #<port>
(print (message (within-input (lambda () (peek-char))))) ; => peek-char: expected a textual input port, got #<port>
(print (message (within-input (lambda () (char-ready?))))) ; => char-ready?: expected a textual input port, got #<port>
(print (message (within-input (lambda () (read-line))))) ; => read-line: expected a textual input port, got #<port>
(print (message (within-input (lambda () (read-string 1))))) ; => read-string: expected a textual input port, got #<port>
(print (message (within-input (lambda () (read))))) ; => read: expected a textual input port, got #<port>
(print (message (within-input (lambda () (port->lines))))) ; => read-line: expected a textual input port, got #<port>
(print (message (lambda () (write-u8 1)))) ; => write-u8: expected a binary output port, got #<port>
(print (message (lambda () (read-u8)))) ; => read-u8: expected a binary input port, got #<port>
(print (message (lambda () (write-bytevector #u8(1))))) ; => write-bytevector: expected a binary output port, got #<port>
(print (message (lambda () (parameterize ((current-output-port (open-input-bytevector #u8()))) 1)))) ; => current-output-port: expected an output port, got #<port>
(print (message (lambda () (parameterize ((current-input-port 5)) 1)))) ; => current-input-port: expected an input port, got 5
(print (message (lambda () (parameterize ((current-error-port out)) 1)))) ; => current-error-port: expected a textual output port, got #<port>
(print (with-output-to-string (lambda () (parameterize ((current-output-port out)) (write-u8 1)) (display "text")))) ; => text
