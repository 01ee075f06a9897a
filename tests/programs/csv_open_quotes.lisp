;; Fields in quotes over several lines, and quotes that are never closed.
(define path "/tmp/lambent-test-open-quotes")
(define (table . lines)
  (call-with-output-file path
    (lambda (port)
      (for-each (lambda (line) (write-string line port) (newline port)) lines)))
  (guard (e (#t (string-replace (error-object-message e) path "TABLE")))
    (read-csv path)))
(define-syntax try (syntax-rules () ((_ line ...) (begin (write (table line ...)) (newline)))))

(try "a,\"b" "c\"" "d,e")          ; => (("a" "b\nc") ("d" "e"))
(try "\"a" "" "b\",\"c" "d\"")      ; => (("a\n\nb" "c\nd"))
(try "\"a \"\"b" "\"\" c\",1")      ; => (("a \"b\n\" c" 1))
(try "a,b" "\"x")                  ; => "read-csv: TABLE, line 2: a quote is never closed"
;; The line of the quote, not that on which its row begins.
(try "a,b" "\"x" "y\",\"2" "z")     ; => "read-csv: TABLE, line 3: a quote is never closed"
(try "\"x \"\"y" "z\"\"" "w")       ; => "read-csv: TABLE, line 1: a quote is never closed"
(try "\"x\"" "" "\"y" "\",\"" "z")  ; => "read-csv: TABLE, line 4: a quote is never closed"
(delete-file path)
