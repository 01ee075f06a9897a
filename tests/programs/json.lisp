; JSON, both ways.

(define (mistake thunk)
  (guard (e ((error-object? e) (print (error-object-message e))))
    (thunk)))
(define (refuse text)
  (mistake (lambda () (string->json text))))

; Values.
(write (string->json " [1, -2.5, 1e2, true, false, null, \"a\", []] "))  ; => (1 -2.5 100.0 #t #f null "a" ())
(newline)
(define ada (string->json "{\"name\": \"Ada\", \"tags\": [\"x\", {}], \"n\": 0}"))
(print (hash-keys ada) (hash-ref ada "name"))  ; => (name tags n) Ada
(write (string->json "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude00é\""))  ; => "\"\\/\b\xc;\n\r\tA😀é"
(newline)
(print (string->json "123456789012345678901234567890"))  ; => 123456789012345678901234567890

; Several values in a port, and its end.
(define in (open-input-string "1 [2]\n\"three\" "))
(write (list (read-json in) (read-json in) (read-json in) (eof-object? (read-json in))))  ; => (1 (2) "three" #t)
(newline)

; Mistakes.
(refuse "[1,\n 2 3]")  ; => string->json: line 2, column 4: expected ',' or ']', got '3'
(refuse "{1: 2}")  ; => string->json: line 1, column 2: expected a key in double quotes, got '1'
(refuse "{\"a\" 2}")  ; => string->json: line 1, column 6: expected ':', got '2'
(refuse "nul")  ; => string->json: line 1, column 4: expected null, got the end of the text
(refuse "01")  ; => string->json: line 1, column 2: expected the end of the text, got '1'
(refuse "1.")  ; => string->json: line 1, column 3: expected a digit, got the end of the text
(refuse "\"a")  ; => string->json: line 1, column 3: expected a closing quote, got the end of the text
(refuse "\"\\x\"")  ; => string->json: line 1, column 3: expected one of "\/bfnrtu, got 'x'
(refuse "\"\\udc00\"")  ; => string->json: line 1, column 8: expected a high surrogate before a low one, got '"'
(refuse "\"\\ud800\\u0041\"")  ; => string->json: line 1, column 14: expected a low surrogate after a high one, got '"'
(refuse "")  ; => string->json: line 1, column 1: expected a value, got the end of the text
(mistake (lambda () (read-json (open-input-string "?"))))  ; => read-json: line 1, column 1: expected a value, got '?'

; Writing.
(print (json->string (list 1 2.5 1/4 #t #f 'null "é\n\x1;" '() (vector 'a))))  ; => [1,2.5,0.25,true,false,null,"é\n\u0001",[],["a"]]
(print (json->string ada))  ; => {"name":"Ada","tags":["x",{}],"n":0}
(write-json (hash-table 'a (list 1 2) 2 (hash-table)) :indent 2)
; => {
; =>   "a": [
; =>     1,
; =>     2
; =>   ],
; =>   "2": {}
; => }
(newline)
(mistake (lambda () (write-json (list 1 car))))  ; => [1,write-json: expected a value that JSON has, got a procedure
(mistake (lambda () (json->string +inf.0)))  ; => write-json: expected a number that JSON has, got +inf.0

; What is written reads back.
(print (equal? (json->string (string->json (json->string ada))) (json->string ada)))  ; => #t
