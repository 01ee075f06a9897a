;; Text files that are not UTF-8, and the ends of lines.
(define path "/tmp/lambent-test-encodings")
(define (bytes! . bytes)
  (call-with-port (open-binary-output-file path)
    (lambda (port) (write-bytevector (apply bytevector bytes) port))))
(define (file-bytes)
  (call-with-port (open-binary-input-file path) (lambda (port) (read-bytevector 20 port))))
(define-syntax try
  (syntax-rules ()
    ((_ e) (guard (x ((error-object? x) (print 'error: (error-object-message x))))
             (write e)
             (newline)))))

;; A line ends with a line feed, a return, or both (R7RS 6.13.2); so does a comment (7.1.1).
(bytes! 97 13 10 98 13 99 10 13 100)
(try (read-lines path))                  ; => ("a" "b" "c" "" "d")
(try (read-line (open-input-string "abc\rdef")))  ; => "abc"
(define in (open-input-string "a\r\n\r\r\nb\r"))
(try (read-line in))                     ; => "a"
(try (read-char in))                     ; => #\return
(try (read-line in))                     ; => ""
(try (read-line in))                     ; => "b"
(try (read-line in))                     ; => #<eof>
(try (read (open-input-string "; comment\r 42")))  ; => 42
(try (read (open-input-string "\"a\rb\r\nc\"")))  ; => "a\nb\nc"
(try (read (open-input-string "|a\rb|")))  ; => |a\nb|
;; A return at the end of what has been read so far (65,536 bytes): its line feed comes later.
(define (long-file . ends)
  (call-with-output-file path
    (lambda (port)
      (write-string (make-string 65535 #\x) port)
      (for-each (lambda (end) (write-string end port)) ends))))
(long-file "\r\n" "next")
(define in (open-input-file path))
(try (string-length (read-line in)))     ; => 65535
(try (read-char in))                     ; => #\n
(long-file "\r" "next")
(define in (open-input-file path))
(try (string-length (read-line in)))     ; => 65535
(try (peek-char in))                     ; => #\n

;; An error takes the bytes that are not text, and read-line the whole line.
(bytes! 97 255 98 10 99 10 200 10 100)
(define in (open-input-file path))
(try (read-line in))                     ; => error: read-line: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 1)
(try (read-line in))                     ; => "c"
(try (read-line in))                     ; => error: read-line: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 6)
(try (read-line in))                     ; => "d"
(try (read-line in))                     ; => #<eof>
(define in (open-input-file path))
(try (read-char in))                     ; => #\a
(try (read-char in))                     ; => error: read-char: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 1)
(try (peek-char in))                     ; => #\b
(try (read-string 3 in))                 ; => "b\nc"
(try (port->string in))                  ; => error: port->string: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 6)
(try (port->string in))                  ; => "\nd"
(try (read-char in))                     ; => #<eof>
(define in (open-input-file path))
(try (read-string 5 in))                 ; => error: read-string: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 1)
(try (read in))                          ; => b
(try (map (lambda (k) (guard (e ((read-error? e) 'bad)) (read-line in))) '(1 2 3 4)))  ; => ("" "c" bad "d")
(bytes! 226 130)
(try (read-lines path))                  ; => error: read-line: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 0)
(define in (open-input-file path))
(try (peek-char in))                     ; => error: peek-char: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 0)
(try (peek-char in))                     ; => #<eof>

;; Other encodings.
(bytes! 97 255 98 10 99 10 200 201 10 100)
(try (read-lines path :invalid 'replace))     ; => ("a�b" "c" "��" "d")
(try (read-lines path :encoding 'latin-1))    ; => ("aÿb" "c" "ÈÉ" "d")
(try (read-lines path :encoding "CP1252"))    ; => ("aÿb" "c" "ÈÉ" "d")
(try (read-text path :encoding 'iso-8859-1 :invalid 'error))  ; => "aÿb\nc\nÈÉ\nd"
(try (with-input-from-file path read-line :encoding 'windows-1252))  ; => "aÿb"
(try (call-with-input-file path read-char :invalid 'replace))  ; => #\a
(try (read-csv path :invalid 'replace))       ; => (("a�b") ("c") ("��") ("d"))
(try (vector-length (lines-dataset path :encoding 'latin-1)))  ; => 4
(define in (open-input-file path))
(set-port-encoding! in 'latin-1)
(try (read-line in))                          ; => "aÿb"
(try (set-port-encoding! in 'utf-8))          ; => error: set-port-encoding!: only a file that has not been read or written yet can have an encoding
(try (set-port-encoding! (open-input-string "") 'utf-8))  ; => error: set-port-encoding!: only a file that has not been read or written yet can have an encoding
(try (set-port-encoding! 5 'utf-8))           ; => error: set-port-encoding!: expected a textual port, got 5
(try (read-lines path :encoding 'no-such))     ; => error: open-input-file: expected an encoding such as utf-8, utf-16, latin-1 or windows-1252 for :encoding, got no-such
(try (read-lines path :invalid 'ignore))      ; => error: open-input-file: expected replace or error for :invalid, got ignore
;; One replacement for each sequence that begins a character, as Unicode recommends.
(bytes! 97 240 159 152 65 226 130 128 128 237 160 128 10 192 175 226 130)
(try (read-lines path :invalid 'replace))     ; => ("a�A₀����" "���")
(bytes! 128 146 129)
(try (map char->integer (string->list (read-text path :encoding 'windows-1252))))  ; => (8364 8217 129)
(bytes! 239 187 191 97)
(try (read-lines path :invalid 'replace))     ; => ("a")
(try (read-lines path :encoding 'latin-1))    ; => ("ï»¿a")
(long-file "é" "€" "x")                       ; a character over the end of what is read at once
(try (string-length (read-text path :invalid 'replace)))  ; => 65538

;; UTF-16: with a mark of its byte order, which is not text, and without.
(bytes! 255 254 97 0 13 0 10 0 172 32 61 216 0 222)
(try (read-lines path :encoding 'utf-16))     ; => ("a" "€😀")
(try (read-lines path :encoding 'utf-16le))   ; => ("a" "€😀")
(try (read-csv path :encoding "UTF-16"))      ; => (("a") ("€😀"))
(try (string-length (read-text path :encoding 'utf-16be)))  ; => 7
(try (read-lines path))                       ; => error: read-line: "/tmp/lambent-test-encodings" is not UTF-8 text (byte 0)
(bytes! 254 255 0 97 32 172)
(try (read-text path :encoding 'utf-16))      ; => "a€"
(bytes! 0 97 32 172 254 255)
(try (map char->integer (string->list (read-text path :encoding 'utf-16-be))))  ; => (97 8364 65279)
(bytes! 97 0 98 0)
(try (read-text path :encoding 'utf-16))      ; => "ab"
;; Half a pair, and half a unit.
(bytes! 0 216 97 0 0 220 98 0 0 216 0 216 0 220 99)
(try (map char->integer (string->list (read-text path :encoding 'utf-16))))  ; => (65533 97 65533 98 65533 65536 65533)
(bytes! 97 0 0 216)
(try (map char->integer (string->list (read-text path :encoding 'utf-16))))  ; => (97 65533)
(bytes! 97 0 0 216 1)
(try (map char->integer (string->list (read-text path :encoding 'utf-16))))  ; => (97 65533)
(bytes! 255 254)
(try (read-lines path :encoding 'utf-16))     ; => ()
(bytes! 97)
(try (map char->integer (string->list (read-text path :encoding 'utf-16))))  ; => (65533)
(bytes!)
(try (read-text path :encoding 'utf-16))      ; => ""
(bytes! 239 187 191 97 44 49)
(try (read-csv path))                         ; => (("a" 1))
(try (read-csv path :encoding 'utf-8-sig))    ; => (("a" 1))

;; Writing.
(define (write! text encoding . append)
  (call-with-output-file path (lambda (port) (write-string text port))
    :encoding encoding :append (pair? append))
  (file-bytes))
(try (write! "a😀" 'utf-16))                  ; => #u8(255 254 97 0 61 216 0 222)
(try (write! "b" 'utf-16 #t))                 ; => #u8(255 254 97 0 61 216 0 222 98 0)
(try (write! "€" 'utf-16le))                  ; => #u8(172 32)
(try (write! "€" 'utf-16be))                  ; => #u8(32 172)
(try (write! "€" 'utf-8-sig))                 ; => #u8(239 187 191 226 130 172)
(try (write! "x" 'utf-8-sig #t))              ; => #u8(239 187 191 226 130 172 120)
(try (write! "" 'utf-16))                     ; => #<eof>
(define (write-long)
  (call-with-output-file path
    (lambda (port) (dotimes (k 30000) (write-char #\😀 port) (write-char #\a port)))
    :encoding 'utf-16)
  (let ((text (read-text path :encoding 'utf-16)))
    (list (string-length text) (string=? (substring text 59998 60000) "😀a"))))
(try (write-long))                            ; => (60000 #t)
(call-with-output-file path (lambda (port) (write-string "aé€\n" port)) :encoding 'windows-1252)
(try (file-bytes))                            ; => #u8(97 233 128 10)
(with-output-to-file path (lambda () (print "ü" 'é)) :append #t :encoding 'latin-1)
(try (file-bytes))                            ; => #u8(97 233 128 10 252 32 233 10)
(define out (open-output-file path :encoding 'latin-1))
(try (write-string "aé€\n" out))              ; => error: write: "/tmp/lambent-test-encodings" cannot hold €: its encoding is latin-1
(write-string "fine" out)
(try (set-port-encoding! out 'utf-8))         ; => error: set-port-encoding!: only a file that has not been read or written yet can have an encoding
(close-port out)
(try (file-bytes))                            ; => #u8(102 105 110 101)
(call-with-output-file path (lambda (port) (write-string "aé€\n" port))
  :encoding 'latin-1 :invalid 'replace)
(try (file-bytes))                            ; => #u8(97 233 63 10)
(call-with-output-file path (lambda (port) (write-char (integer->char 128) port))
  :encoding 'windows-1252 :invalid 'replace)
(try (file-bytes))                            ; => #u8(63)
(delete-file path)
