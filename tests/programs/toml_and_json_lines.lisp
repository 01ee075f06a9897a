; TOML texts, and texts with a JSON value on each line.
(define (try thunk)
  (write (guard (e (#t (string->symbol (error-object-message e)))) (thunk)))
  (newline))

; A table with its keys in order.
(define (sorted x)
  (cond ((hash-table? x)
         (map (lambda (key) (list (string->symbol key) (sorted (hash-ref x key)))) (sort (hash-keys x) string<?)))
        ((pair? x) (map sorted x))
        (else x)))
(define (toml . lines) (try (lambda () (sorted (string->toml (string-join lines "\n"))))))

(toml "title = 'x'  # comment" "[owner]" "name = \"Tom \\u00e9\\t\"" "alive = true" "[owner.home]" "zip = 0x1F_ff")  ; => ((owner ((alive #t) (home ((zip 8191))) (name "Tom é\t"))) (title "x"))
(toml "i = [1, -2, +3, 1_000, 0o17, 0b101]" "f = [1.5, -0.0, 6.02e23, 1e-3, inf, -inf, nan]")  ; => ((f (1.5 -0.0 6.02e23 0.001 +inf.0 -inf.0 +nan.0)) (i (1 -2 3 1000 15 5)))
(toml "a = 2020-02-29" "b = 1979-05-27 07:32:00.25z" "c = 07:32:00" "d = 1979-05-27t00:32:00-07:00")  ; => ((a "2020-02-29") (b "1979-05-27T07:32:00.25Z") (c "07:32:00") (d "1979-05-27T00:32:00-07:00"))
(toml "[[fruit]]" "name = 'apple'" "[[fruit.kind]]" "name = 'red'" "[[fruit.kind]]" "name = 'green'" "[[fruit]]" "name = 'plum'")  ; => ((fruit (((kind (((name "red")) ((name "green")))) (name "apple")) ((name "plum")))))
(toml "a.b.c = 1" "a.b.d = 2" "\"x y\".'z' = {p = 1, q.r = [2, {}]}")  ; => ((a ((b ((c 1) (d 2))))) (|x y| ((z ((p 1) (q ((r (2 ())))))))))
(toml "s = \"\"\"" "one \\" "   two\"\"\"\"" "t = '''" "raw \\n'''")  ; => ((s "one two\"") (t "raw \\n"))
(toml "a = [" "  1, # one" "  2," "]" "" "empty = []")  ; => ((a (1 2)) (empty ()))
(toml)  ; => ()
(toml "a = 1" "a = 2")  ; => |string->toml: line 2, column 1: the key a has a value already|
(toml "a = 1" "[a.b]")  ; => |string->toml: line 2, column 2: the key a has a value already|
(toml "[a]" "[a]")  ; => |string->toml: line 2, column 2: the table a is defined already|
(toml "[a]" "b = {c = 1}" "b.d = 2")  ; => |string->toml: line 3, column 1: the key b has a value already|
(toml "[[a]]" "[a]")  ; => |string->toml: line 2, column 2: the table a is defined already|
(toml "a = [1]" "[[a]]")  ; => |string->toml: line 2, column 3: the key a is not an array of tables|
(toml "[a.b.c]" "[a]" "b.c.d = 1")  ; => |string->toml: line 3, column 1: the table c is defined elsewhere|
(toml "a = ")  ; => |string->toml: line 1, column 5: expected a value, got the end of the text|
(toml "a = 1 b = 2")  ; => |string->toml: line 1, column 7: expected the end of the line, got 'b'|
(toml "a 1")  ; => |string->toml: line 1, column 3: expected '=' after a key, got '1'|
(toml "= 1")  ; => |string->toml: line 1, column 1: expected a key, got '='|
(toml "a = 01")  ; => |string->toml: line 1, column 5: '01' is not a value|
(toml "a = 1__0")  ; => |string->toml: line 1, column 5: '1__0' is not a value|
(toml "a = 2021-02-29")  ; => |string->toml: line 1, column 5: '2021-02-29' is not a value|
(toml "ok = 1" "  a = tru")  ; => |string->toml: line 2, column 7: 'tru' is not a value|
(toml "a = \"x")  ; => |string->toml: line 1, column 7: expected '"' at the end of a string, got the end of the text|
(toml "a = 'x" "'")  ; => |string->toml: line 1, column 7: expected "'" at the end of a string, got the end of the line|
(toml "a = \"\\x\"")  ; => |string->toml: line 1, column 7: expected a letter of an escape, got 'x'|
(toml "a = \"\\ud800\"")  ; => |string->toml: line 1, column 6: expected 4 hexadecimal digits of a character|
(toml "a = [1, 2")  ; => |string->toml: line 1, column 10: expected ',' or ']', got the end of the text|
(toml "a = {b = 1,}")  ; => |string->toml: line 1, column 12: expected a key, got '}'|
(toml "[a" "b = 1")  ; => |string->toml: line 1, column 3: expected ']', got the end of the line|
(toml "a = '''x")  ; => |string->toml: line 1, column 9: expected ''' at the end of a string, got the end of the text|
(toml "# \a")  ; => |string->toml: line 1, column 3: expected a comment's text, got the control character 7|
(try (lambda () (string->toml (string-append "a = " (make-string 2000 #\[)))))  ; => |string->toml: line 1, column 1005: expected at most 1000 nested brackets, got '['|
(try (lambda () (string->toml 5)))  ; => |string->toml: expected a string, got 5|
(try (lambda () (read-toml 5)))  ; => |read-toml: expected a path or a textual input port, got 5|
(try (lambda () (hash-size (string->toml (string-join (map (lambda (k) (string "key" k " = " k)) (iota 3000)) "\n")))))  ; => 3000
(try (lambda () (string-length (hash-ref (string->toml (string-append "a = '" (make-string 100000 #\x) "'")) "a"))))  ; => 100000
(define path "/tmp/lambent-toml.toml")
(define (write-file text) (call-with-output-file path (lambda (port) (write-string text port))))
(write-file "a = 1\r\nb = [\r\n]\r\n")
(try (lambda () (sorted (read-toml path))))  ; => ((a 1) (b ()))
(try (lambda () (call-with-input-file path (lambda (port) (sorted (read-toml port))))))  ; => ((a 1) (b ()))
(write-file "a = 1\nb = ?\n")
(try (lambda () (read-toml path)))  ; => |read-toml: /tmp/lambent-toml.toml, line 2, column 5: expected a value, got '?'|
(delete-file path)
(try (lambda () (read-toml path)))  ; => |open-input-file: cannot open "/tmp/lambent-toml.toml": No such file or directory|

; JSON lines.
(define lines "/tmp/lambent-json-lines.jsonl")
(write-json-lines '(1 "two\nlines" (3 null) #t) lines)
(try (lambda () (read-lines lines)))  ; => ("1" "\"two\\nlines\"" "[3,null]" "true")
(try (lambda () (read-json-lines lines)))  ; => (1 "two\nlines" (3 null) #t)
(write-json-lines '(5) lines :append #t)
(try (lambda () (let ((sum '())) (for-each-json-line (lambda (x) (set! sum (cons x sum))) lines) sum)))  ; => (5 #t (3 null) "two\nlines" 1)
(define (numbers text) (json-lines->generator (open-input-string text)))
(define next (numbers "1\n\n  \n[2,\n{\"a\": 3}\n4 5\n6"))
(try next)  ; => 1
(try next)  ; => |json-lines: line 4, column 4: expected a value, got the end of the text|
(try (lambda () (sorted (next))))  ; => ((a 3))
(try next)  ; => |json-lines: line 6, column 3: expected the end of the text, got '5'|
(try next)  ; => 6
(try next)  ; => #<eof>
(try next)  ; => #<eof>
(try (lambda () (write-json-lines '(1 2) (current-output-port)) 'done))  ; => 1
  ; => 2
  ; => done
(try (lambda () (write-json-lines '(1) 5)))  ; => |write-json-lines: expected a path or a textual output port, got 5|
(try (lambda () (read-json-lines 5)))  ; => |json-lines->generator: expected a path or a textual input port, got 5|
(call-with-output-file lines (lambda (port) (write-string "1\n{\n" port)))
(try (lambda () (read-json-lines lines)))  ; => |json-lines: /tmp/lambent-json-lines.jsonl, line 2, column 2: expected a key in double quotes, got the end of the text|
(write-json-lines (iota 20000) lines)
(try (lambda () (length (read-json-lines lines))))  ; => 20000
(delete-file lines)
(try (lambda () (read-json-lines lines)))  ; => |open-input-file: cannot open "/tmp/lambent-json-lines.jsonl": No such file or directory|
