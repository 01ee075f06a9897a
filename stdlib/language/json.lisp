;; json.lisp - JSON texts, after RFC 8259.
;;
;;     an object    a hash table, its keys strings
;;     an array     a list
;;     a number     an exact integer; a double if it has a point or an exponent
;;     true false   #t #f
;;     null         the symbol null

;; Reading.

(define (read-json source)
  "The value of a JSON text: source is the path of a file, or a port.

  A port is read to the end of one value, so that several may follow each other;
  at its end the result is the end-of-file object."
  (cond ((string? source)
         (call-with-input-file source
           (lambda (port)
             (%json-value port (string "read-json: " source ", ") 1 #t))))
        ((and (input-port? source) (textual-port? source))
         (%json-value source "read-json: " 1 #f))
        (else (wrong-type "read-json" "a path or a textual input port"
                          source))))

(define (string->json text)
  "The value of a JSON text in a string."
  (if (string? text)
      (%json-value text "string->json: " 1 #t)
      (wrong-type "string->json" "a string" text)))

;; Writing.

(define (write-json value :indent #f . port)
  "Write a value as JSON, to a port if one is given.

  Hash tables are objects, lists and vectors arrays, tensors arrays of their
  elements.  With :indent, elements are indented by that many columns."
  (let ((out (%optional "write-json" 1 port (current-output-port))))
    (%write-json value indent 0 out)))

(define (json->string value :indent #f)
  "The JSON text of a value; see write-json."
  (or (and (not indent) (%json-written value))
      (begin
        (%check-repeats "json->string" value)
        (call-with-output-string
          (lambda (out) (%write-json value indent 0 out))))))

(define (%write-json value indent column out)
  (cond ((string? value) (%write-json-string value out))
        ((eq? value #t) (write-string "true" out))
        ((eq? value #f) (write-string "false" out))
        ((eq? value 'null) (write-string "null" out))
        ((number? value) (%write-json-number value out))
        ((symbol? value) (%write-json-string (symbol->string value) out))
        ((hash-table? value)
         (%write-json-items (hash->list value) "{" "}" indent column out
           (lambda (entry column)
             (%write-json-key (car entry) out)
             (write-string (if indent ": " ":") out)
             (%write-json (cdr entry) indent column out))))
        ((list? value) (%write-json-array value indent column out))
        ((vector? value)
         (%write-json-array (vector->list value) indent column out))
        ((tensor? value)
         (%write-json (tensor->list value) indent column out))
        (else (wrong-type "write-json" "a value that JSON has" value))))

(define (%write-json-array items indent column out)
  (%write-json-items items "[" "]" indent column out
    (lambda (item column) (%write-json item indent column out))))

(define (%write-json-items items open close indent column out write-item)
  "Write items between brackets; (write-item item column) writes one."
  (define inside (if indent (+ column indent) column))
  (write-string open out)
  (let loop ((left items))
    (unless (null? left)
      (%json-line indent inside out)
      (write-item (car left) inside)
      (unless (null? (cdr left)) (write-string "," out))
      (loop (cdr left))))
  (unless (null? items) (%json-line indent column out))
  (write-string close out))

(define (%json-line indent column out)
  "Begin a line, if the text is indented."
  (when indent
    (newline out)
    (write-string (make-string column #\space) out)))

(define (%write-json-key key out)
  (cond ((string? key) (%write-json-string key out))
        ((symbol? key) (%write-json-string (symbol->string key) out))
        ((number? key) (%write-json-string (number->string key) out))
        (else (wrong-type "write-json" "a string or a symbol as a key" key))))

(define (%write-json-number value out)
  (cond ((exact-integer? value) (write-string (number->string value) out))
        ((finite? value) (write-string (number->string (inexact value)) out))
        (else (wrong-type "write-json" "a number that JSON has" value))))

(define (%write-json-string text out)
  (write-string "\"" out)
  (string-for-each (lambda (c) (%write-json-char c out)) text)
  (write-string "\"" out))

(define (%write-json-char c out)
  (let ((escape (assv c '((#\" . "\\\"") (#\\ . "\\\\") (#\newline . "\\n")
                          (#\return . "\\r") (#\tab . "\\t")
                          (#\backspace . "\\b") (#\xC . "\\f")))))
    (cond (escape (write-string (cdr escape) out))
          ((char<? c #\space)
           (let ((hex (number->string (char->integer c) 16)))
             (write-string "\\u" out)
             (write-string (make-string (- 4 (string-length hex)) #\0) out)
             (write-string hex out)))
          (else (write-char c out)))))
