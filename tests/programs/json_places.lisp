;; Where a JSON text stops being one: every mistake has its place, also where bytes are not text.
(define path "/tmp/lambent-test-json-places")
(define (file! . parts)
  (call-with-port (open-binary-output-file path)
    (lambda (port)
      (for-each (lambda (part)
                  (if (string? part)
                      (write-bytevector (string->utf8 part) port)
                      (write-u8 part port)))
                parts))))
(define-syntax try
  (syntax-rules ()
    ((_ e) (guard (x ((error-object? x) (print (error-object-message x) (read-error? x))))
             (write e)
             (newline)))))

;; In strings, keys, escapes and words, between tokens, after numbers and values.
(file! "\"" 255 "\"")
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 1) #t
(file! "{\"a" 255 "\": 1}")
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 3) #t
(file! "\"\\u00" 255 "0\"")
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 5) #t
(file! "[tru" 255 "]")
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 4) #t
(file! "[1,\n " 255 "2]")
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 5) #t
(file! "12" 255)
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 2) #t
(file! "true" 255)
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 4) #t
(file! "[1] \n" 255)
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 5) #t
(file! "\"" (make-string 70000 #\a) 226 130)
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 70001) #t
(file! "[1 " 255)  ; what comes first counts
(try (read-json path))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 3) #t
(file! "[1 2 " 255)
(try (read-json path))  ; => read-json: /tmp/lambent-test-json-places, line 1, column 4: expected ',' or ']', got '2' #f

;; A port is read to the end of a value, and goes on after what is not text.
(file! "\"a\" [2" 255 " 3")
(define in (open-input-file path))
(try (read-json in))  ; => "a"
(try (read-json in))  ; => read-json: "/tmp/lambent-test-json-places" is not UTF-8 text (byte 6) #t
(try (read-json in))  ; => 3
(try (read-json in))  ; => #<eof>

;; Values that are longer than what is read at once, and one mistake far behind.
(define spaces (make-string 200000 #\space))
(file! "[1," spaces "2]" spaces "{\"a\":" spaces "3}" spaces)
(define in (open-input-file path))
(try (read-json in))  ; => (1 2)
(try (hash->list (read-json in)))  ; => (("a" . 3))
(try (read-json in))  ; => #<eof>
(file! "[1," spaces "\n" spaces "2")
(try (read-json path))  ; => read-json: /tmp/lambent-test-json-places, line 2, column 200002: expected ',' or ']', got the end of the text #f
(try (read-json (open-input-file path)))  ; => read-json: line 2, column 200002: expected ',' or ']', got the end of the text #f
(file! "[1]" spaces "]")
(try (read-json path))  ; => read-json: /tmp/lambent-test-json-places, line 1, column 200004: expected the end of the text, got ']' #f

;; Mistakes in each part.
(define (refuse text) (try (string->json text)))
(refuse "\"\\")  ; => string->json: line 1, column 3: expected one of "\/bfnrtu, got the end of the text #f
(refuse "\"\\u12g4\"")  ; => string->json: line 1, column 6: expected a hexadecimal digit, got 'g' #f
(refuse "\"\\ud800\\n\"")  ; => string->json: line 1, column 9: expected a low surrogate, got 'n' #f
(refuse "\"\\ud83d\\ude00\"")  ; => "😀"
(refuse "\"é\x1;\"")  ; => string->json: line 1, column 3: expected no control character in a string, got the control character 1 #f
(refuse "-x")  ; => string->json: line 1, column 2: expected a digit, got 'x' #f
(refuse "1e+")  ; => string->json: line 1, column 4: expected a digit, got the end of the text #f
(refuse "{\"a\":1 \"b\"")  ; => string->json: line 1, column 8: expected ',' or '}', got '"' #f
(refuse "{\"a\":1,}")  ; => string->json: line 1, column 8: expected a key in double quotes, got '}' #f
(refuse "\n\n [é]")  ; => string->json: line 3, column 3: expected a value, got 'é' #f
(define (nested n) (string-append (make-string n #\[) (make-string n #\])))
(print (json->string (string->json (nested 3))))  ; => [[[]]]
(print (pair? (string->json (nested 1000))))  ; => #t
(refuse (nested 1001))  ; => string->json: line 1, column 1001: expected at most 1000 nested brackets, got '[' #f

;; Numbers of any length.
(print (= (string->json (make-string 5000 #\9)) (- (expt 10 5000) 1)))  ; => #t
(print (string->json (string-append "-0." (make-string 100 #\3))) (string->json "[1e999, -1e-999]"))  ; => -0.3333333333333333 (+inf.0 -0.0)
(try (read-json 5))  ; => read-json: expected a path or a textual input port, got 5 #f
(try (read-json (open-input-bytevector (bytevector 49))))
; => read-json: expected a path or a textual input port, got #<port> #f
