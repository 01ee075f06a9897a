(define first "in the first line")
;; What stands at the head of this file, of an imported one and of a text file that is read says how
;; they are encoded; it is not text.
(import "modules/byte_order_mark.lisp")
(print first (marked))                       ; => in the first line marked

(define path "/tmp/lambent-byte-order-mark")
(define (with-mark text)
  (call-with-output-file path (lambda (port) (write-string (string-append "\xfeff;" text) port))))

(with-mark "(a b) c")
(print (call-with-input-file path read))     ; => (a b)
(with-mark "one\ntwo")
(print (read-lines path))                    ; => (one two)
(print (call-with-input-file path (lambda (port) (list (peek-char port) (read-string 5 port))))) ; => (o one
; => t)
(with-mark "name,age\nAda,36")
(print (equal? (read-csv path) '(("name" "age") ("Ada" 36)))) ; => #t
(with-mark "{\"a\": 1}")
(print (hash-ref (read-json path) "a"))      ; => 1
(with-mark "(1")
(print (guard (e (#t (error-object-message e))) (call-with-input-file path read))) ; => read: unclosed ( at line 1, column 1

;; Only one, only there, and not among bytes.
(with-mark "\xfeff;a\xfeff;")
(print (string-length (call-with-input-file path read-line))) ; => 3
(print (string-length (read-line (open-input-string "\xfeff;a")))) ; => 2
(print (call-with-port (open-binary-input-file path) (lambda (port) (read-bytevector 4 port)))) ; => #u8(239 187 191 239)
(with-mark "")
(print (eof-object? (call-with-input-file path read-char))) ; => #t
(delete-file path)
