; Characters one by one: ports that fit, ports that do not, and where `read` says that an error is.
(define-syntax said
  (syntax-rules () ((_ form) (guard (e (#t (error-object-message e))) form))))
(define (drain port) (let loop ((all '())) (let ((c (read-char port))) (if (eof-object? c) (reverse all) (loop (cons c all))))))
(write (drain (open-input-string "aé\n中x\x0;😀")))  ; => (#\a #\é #\newline #\中 #\x #\null #\😀)
(newline)
(define in (open-input-string "ab"))
(print (peek-char in) (read-char in) (peek-char in) (read-char in) (eof-object? (peek-char in)) (eof-object? (read-char in)))  ; => a a b b #t #t
(define (copied text)
  (call-with-output-string (lambda (out) (for-each (lambda (c) (write-char c out)) (string->list text)))))
(print (copied "aé中😀b") (string-length (copied (make-string 100000 #\q))) (string=? (copied "\x0;a") "\x0;a"))  ; => aé中😀b 100000 #t

(define out (open-output-string))
(print (said (read-char out)))            ; => read-char: expected a textual input port, got #<port>
(print (said (peek-char 5)))              ; => peek-char: expected a textual input port, got 5
(print (said (write-char #\a in)))        ; => write-char: expected a textual output port, got #<port>
(print (said (read-char (open-input-bytevector (bytevector 1 2)))))  ; => read-char: expected a textual input port, got #<port>
(close-port in)
(close-port out)
(print (said (read-char in)) (said (write-char #\a out)))  ; => read-char: the port is closed write-char: the port is closed

;; Lines and columns, of what was read by characters, lines and data.
(define (where text steps)
  (let ((port (open-input-string text)))
    (for-each (lambda (step) (step port)) steps)
    (said (read port))))
(print (where ")" '()))  ; => read: unexpected ) at line 1, column 1
(print (where "ab\ncd )" (list read-char read-line read)))  ; => read: unexpected ) at line 2, column 4
(print (where "ab\n\né中 )x" (list read-line read-line read-char read-char)))  ; => read: unexpected ) at line 3, column 4
(print (where "a\nb\nc\n  (1 . )" (list read read read)))  ; => read: unexpected . at line 4, column 6
