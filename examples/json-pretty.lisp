;; json-pretty.lisp - print JSON so that people can read it, and say what is in it.
;;
;;     lambent examples/json-pretty.lisp [FILE]
;;
;; Without a file it takes the sample below.

(define sample
  (string-append
    "{\"name\": \"Lambent\", \"version\": 0.1, \"stable\": false,"
    " \"authors\": [{\"name\": \"Ada\", \"born\": 1815},"
    " {\"name\": \"Zo\\u00eb \\ud83d\\ude00\", \"born\": null}],"
    " \"empty\": {}, \"none\": [], \"path\": \"a\\\\b\\n\","
    " \"matrix\": [[1, 2.5, -3e2], [1e21, 0.1, 12345678901234567890]]}"))

(define (kind value)
  "What JSON calls a value."
  (cond ((hash-table? value) 'object)
        ((list? value) 'array)
        ((string? value) 'string)
        ((number? value) 'number)
        ((boolean? value) 'boolean)
        (else 'null)))

(define (walk value visit)
  "Call (visit value depth) for a value and all that is in it."
  (let loop ((value value) (depth 0))
    (visit value depth)
    (cond ((hash-table? value)
           (hash-for-each value (lambda (key inner) (loop inner (+ depth 1)))))
          ((list? value)
           (for-each (lambda (inner) (loop inner (+ depth 1))) value)))))

(define (summary value)
  "Two values: a table of kind to count, and the depth."
  (let ((counts (make-hash-table)) (deepest 0))
    (walk value
          (lambda (value depth)
            (hash-update! counts (kind value) (lambda (n) (+ n 1)) 0)
            (set! deepest (max deepest depth))))
    (values counts deepest)))

(define (report value)
  (write-json value :indent 2)
  (newline)
  (receive (counts deepest) (summary value)
    (hash-for-each counts (lambda (kind n) (print (format "~4d ~a" n kind))))
    (print "depth" deepest)))

(define arguments (cdr (command-line)))

(define value
  (if (pair? arguments) (read-json (car arguments)) (string->json sample)))

(report value)
(print "the text reads back:" (equal? (json->string (string->json (json->string value)))
                                      (json->string value)))

;; The error of a text that is not JSON says where.
(for-each
  (lambda (text)
    (guard (e ((error-object? e) (print (error-object-message e))))
      (print (string->json text))))
  '("[1, 2" "{\"a\" 1}" "[01]" "\"\\x\"" "[1,]" "nul" "{}}" "\"\\ud800\""))
