;; read-csv: quotes, line ends, numbers, and where a table is wrong.
(define path "/tmp/lambent-test-csv-rows")
(define (try text . separator)
  (call-with-output-file path (lambda (port) (write-string text port)))
  (guard (e ((error-object? e) (print (error-object-message e))))
    (write (read-csv path :separator (if (null? separator) "," (car separator))))
    (newline)))

;; Fields: what is a number, and what only looks like one.
(try "1,-2.5,+3,1e3,1E-2,.5,1.,-0.0\n")      ; => ((1 -2.5 3 1000.0 0.01 0.5 1.0 -0.0))
(try "a,, 7 ,1/2,+inf.0,.,-,+.,1.2.3,1e,1e+")  ; => (("a" "" 7 "1/2" +inf.0 "." "-" "+." "1.2.3" "1e" "1e+"))
(try "12345678901234567890123,1e999,0.1234567890123456789012345678901234567890123")  ; => ((12345678901234567890123 +inf.0 0.12345678901234568))
(try "é,\x1F600;,\xA0;5,٣\n")                ; => (("é" "😀" 5 "٣"))

;; Quotes, also within fields, and the ends of lines.
(try "\"a,b\",\"a\"\"b\",x\"y,z\"w,\"1\",\"\",\"\"\"\"\n")  ; => (("a,b" "a\"b" "xy,zw" 1 "" "\""))
(try "\"line\nnext\",\"a\rb\r\nc\"\n")       ; => (("line\nnext" "a\nb\nc"))
(try "a\rb\r\nc\n\n\r\nd")                   ; => (("a") ("b") ("c") ("d"))
(try ",\n,\n")                               ; => (("" "") ("" ""))
(try "")                                     ; => ()
(try "a;b\n1;2\n" ";")                       ; => (("a" "b") (1 2))
(try "a;;b\n" ";;")                          ; => (("a" "b"))
(try "aéb\n1é2" "é")                         ; => (("a" "b") (1 2))

;; Mistakes have their lines.
(try "1,2\n3,4\n5\n6,7\n")                   ; => read-csv: /tmp/lambent-test-csv-rows, line 3: expected 2 fields, got 1
(try "\n1\n\"\n\n\",2\n")                    ; => read-csv: /tmp/lambent-test-csv-rows, line 3: expected 1 field, got 2
(try "a\n\"x\"\"\ny\nz")                     ; => read-csv: /tmp/lambent-test-csv-rows, line 2: a quote is never closed
(try "\"a\"\nb\n\"c\n\" \"d\n")              ; => read-csv: /tmp/lambent-test-csv-rows, line 4: a quote is never closed
(call-with-port (open-binary-output-file path)
  (lambda (port) (write-bytevector (bytevector 97 10 98 13 10 99 255 10) port)))
(guard (e ((error-object? e) (print (error-object-message e) (read-error? e))))
  (read-csv path))                           ; => read-line: "/tmp/lambent-test-csv-rows" is not UTF-8 text (byte 6) #t
(write (read-csv path :invalid 'replace))    ; => (("a") ("b") ("c�"))
(newline)

;; Rows and fields that are longer than what is read at once (65,536 bytes).
(define (file! write-all)
  (call-with-output-file path write-all))
(file! (lambda (port)
         (let loop ((k 0))
           (when (< k 20000)
             (write-string (string k ",\"x" k "\n\",é\r\n") port)
             (loop (+ k 1))))))
(define rows (read-csv path))
(print (length rows) (fold + 0 (map car rows)))  ; => 20000 199990000
(write (list-ref rows 19999))                ; => (19999 "x19999\n" "é")
(newline)
(file! (lambda (port) (write-string (make-string 200000 #\,) port)))
(print (length (car (read-csv path))))       ; => 200001
(file! (lambda (port)
         (write-string "1,2\n" port)
         (write-string (make-string 200000 #\x) port)
         (write-string "\n" port)))
(guard (e ((error-object? e) (print (error-object-message e))))
  (read-csv path))                           ; => read-csv: /tmp/lambent-test-csv-rows, line 2: expected 2 fields, got 1
