;; json.lisp - JSON texts, after RFC 8259.
;;
;;     an object    a hash table, its keys strings
;;     an array     a list
;;     a number     an exact integer; a double if it has a point or an exponent
;;     true false   #t #f
;;     null         the symbol null

;; Reading.  An input is #(port, how messages begin, line, column, depth, what
;; C expected).

(define (read-json source)
  "The value of a JSON text: source is the path of a file, or a port.

  A port is read to the end of one value, so that several may follow each other;
  at its end the result is the end-of-file object."
  (unless (or (string? source)
              (and (input-port? source) (textual-port? source)))
    (wrong-type "read-json" "a path or a textual input port" source))
  (%as-json
   (lambda ()
     (if (string? source)
         (call-with-input-file source
           (lambda (port)
             (let ((name (string "read-json: " source ", ")))
               (%json-document (vector port name 1 1 0 #f)))))
         (let ((in (vector source "read-json: " 1 1 0 #f)))
           (%json-skip in)
           (if (eof-object? (%json-peek in))
               (eof-object)
               (%json-text in)))))))

(define (%as-json thunk)
  "The result of the thunk.  The error for a file that is not text, which names
  the procedure for one character, names read-json."
  (let ((result (%try thunk)))
    (when (and (%caught? result) (%caught-error? result)
               (read-error? (%caught-payload result)))
      (let* ((message (error-object-message (%caught-payload result)))
             (colon (string-contains message ": ")))
        (when (and colon (string-contains message " is not UTF-8 text"))
          (%caught-replace! result (string "read-json" (substring message colon))
                            '() "JSON texts are in UTF-8" #t))))
    (%finish (%settle result))))

(define (string->json text)
  "The value of a JSON text in a string."
  (%json-document (vector (open-input-string text) "string->json: " 1 1 0 #f)))

(define (%json-text in)
  "The first value of a text.  The interpreter has this procedure in C, too,
  which leaves what it expected where it stopped."
  (if (vector-ref in 5)
      (%json-fail in (vector-ref in 5))
      (%json-value in)))

(define (%json-document in)
  "The one value of a text."
  (let ((value (%json-text in)))
    (%json-skip in)
    (if (eof-object? (%json-peek in))
        value
        (%json-fail in "the end of the text"))))

(define (%json-peek in)
  (peek-char (vector-ref in 0)))

(define (%json-next in)
  "The next character, which is consumed."
  (let ((c (read-char (vector-ref in 0))))
    (if (eqv? c #\newline)
        (begin
          (vector-set! in 2 (+ (vector-ref in 2) 1))
          (vector-set! in 3 1))
        (vector-set! in 3 (+ (vector-ref in 3) 1)))
    c))

(define (%json-fail in wanted)
  "Raise the error for a text with something else than expected here."
  (let ((c (%json-peek in)))
    (error (string (vector-ref in 1) "line " (vector-ref in 2)
                   ", column " (vector-ref in 3) ": expected " wanted ", got "
                   (cond ((eof-object? c) "the end of the text")
                         ((char<? c #\space)
                          (string "the control character "
                                  (char->integer c)))
                         (else (string "'" c "'")))))))

(define (%json-skip in)
  "Consume white space.  The interpreter has this procedure in Python, too."
  (when (memv (%json-peek in) '(#\space #\newline #\tab #\return))
    (%json-next in)
    (%json-skip in)))

(define (%json-value in)
  (%json-skip in)
  (case (%json-peek in)
    ((#\{) (%json-inside in %json-object))
    ((#\[) (%json-inside in %json-array))
    ((#\") (%json-next in) (%json-string in))
    ((#\t) (%json-word in "true" #t))
    ((#\f) (%json-word in "false" #f))
    ((#\n) (%json-word in "null" 'null))
    ((#\- #\0 #\1 #\2 #\3 #\4 #\5 #\6 #\7 #\8 #\9) (%json-number in))
    (else (%json-fail in "a value"))))

(define %deepest-json 1000)

(define (%json-inside in read)
  "What stands in brackets, the first of which is the next character."
  (let ((depth (+ (vector-ref in 4) 1)))
    (when (> depth %deepest-json)
      (%json-fail in (string "at most " %deepest-json " nested brackets")))
    (vector-set! in 4 depth)
    (%json-next in)
    (let ((value (read in)))
      (vector-set! in 4 (- depth 1))
      value)))

(define (%json-word in word value)
  (string-for-each (lambda (c) (%json-expect in c word)) word)
  value)

(define (%json-expect in c wanted)
  (if (eqv? (%json-peek in) c)
      (%json-next in)
      (%json-fail in wanted)))

(define (%json-object in)
  (let ((table (make-hash-table)))
    (%json-skip in)
    (if (eqv? (%json-peek in) #\})
        (begin (%json-next in) table)
        (let loop ()
          (%json-skip in)
          (%json-expect in #\" "a key in double quotes")
          (let ((key (%json-string in)))
            (%json-skip in)
            (%json-expect in #\: "':'")
            (hash-set! table key (%json-value in))
            (if (%json-more? in #\} "',' or '}'")
                (loop)
                table))))))

(define (%json-array in)
  (%json-skip in)
  (if (eqv? (%json-peek in) #\])
      (begin (%json-next in) '())
      (let loop ((items (list (%json-value in))))
        (if (%json-more? in #\] "',' or ']'")
            (loop (cons (%json-value in) items))
            (reverse items)))))

(define (%json-more? in end wanted)
  "Whether a comma follows; otherwise the end must follow."
  (%json-skip in)
  (cond ((eqv? (%json-peek in) #\,) (%json-next in) #t)
        (else (%json-expect in end wanted) #f)))

(define (%json-number in)
  (let ((chars (%json-digits in (%json-sign in '(#\-)))))
    (let* ((fraction (%json-fraction in chars))
           (all (%json-exponent in fraction)))
      (string->number (list->string (reverse all))))))

(define (%json-sign in signs)
  "The list of the next character if it is a sign; otherwise ()."
  (if (memv (%json-peek in) signs) (list (%json-next in)) '()))

(define (%json-digit? c)
  (and (char? c) (char<=? #\0 c #\9)))

(define (%json-digits in before)
  "The digits of an integer in reverse order, before the given characters."
  (if (eqv? (%json-peek in) #\0)
      (cons (%json-next in) before)
      (%json-some-digits in before)))

(define (%json-some-digits in before)
  (if (%json-digit? (%json-peek in))
      (let loop ((chars before))
        (if (%json-digit? (%json-peek in))
            (loop (cons (%json-next in) chars))
            chars))
      (%json-fail in "a digit")))

(define (%json-fraction in chars)
  (if (eqv? (%json-peek in) #\.)
      (%json-some-digits in (cons (%json-next in) chars))
      chars))

(define (%json-exponent in chars)
  (if (memv (%json-peek in) '(#\e #\E))
      (let* ((marked (cons (%json-next in) chars))
             (sign (%json-sign in '(#\+ #\-))))
        (%json-some-digits in (append sign marked)))
      chars))

(define (%json-string in)
  "The string whose opening quote has been consumed."
  (let loop ((chars '()))
    (let ((c (%json-peek in)))
      (cond ((eof-object? c) (%json-fail in "a closing quote"))
            ((char=? c #\") (%json-next in) (list->string (reverse chars)))
            ((char=? c #\\)
             (%json-next in)
             (loop (cons (%json-escape in) chars)))
            ((char<? c #\space)
             (%json-fail in "no control character in a string"))
            (else (loop (cons (%json-next in) chars)))))))

(define (%json-escape in)
  "The character that an escape stands for; its backslash has been consumed."
  (let ((found (assv (%json-peek in)
                     '((#\" . #\") (#\\ . #\\) (#\/ . #\/) (#\b . #\backspace)
                       (#\f . #\xC) (#\n . #\newline) (#\r . #\return)
                       (#\t . #\tab)))))
    (cond (found (%json-next in) (cdr found))
          ((eqv? (%json-peek in) #\u) (%json-next in) (%json-unicode in))
          (else (%json-fail in "one of \"\\/bfnrtu")))))

(define (%json-unicode in)
  "The character of four hexadecimal digits, or of two surrogates."
  (let ((code (%json-hex in)))
    (cond ((< code #xD800) (integer->char code))
          ((> code #xDFFF) (integer->char code))
          ((> code #xDBFF) (%json-fail in "a high surrogate before a low one"))
          (else
           (%json-expect in #\\ "a low surrogate")
           (%json-expect in #\u "a low surrogate")
           (let ((low (%json-hex in)))
             (if (<= #xDC00 low #xDFFF)
                 (integer->char (+ #x10000
                                   (* 1024 (- code #xD800))
                                   (- low #xDC00)))
                 (%json-fail in "a low surrogate after a high one")))))))

(define (%json-hex in)
  (let loop ((left 4) (code 0))
    (if (= left 0)
        code
        (let* ((c (%json-peek in))
               (digit (and (char? c) (string->number (string c) 16))))
          (if digit
              (begin (%json-next in) (loop (- left 1) (+ (* 16 code) digit)))
              (%json-fail in "a hexadecimal digit"))))))

;; Writing.

(define (write-json value :indent #f . port)
  "Write a value as JSON, to a port if one is given.

  Hash tables are objects, lists and vectors arrays, tensors arrays of their
  elements.  With :indent, elements are indented by that many columns."
  (let ((out (%optional "write-json" 1 port (current-output-port))))
    (%write-json value indent 0 out)))

(define (json->string value :indent #f)
  "The JSON text of a value; see write-json."
  (if indent
      (begin
        (%check-repeats "json->string" value)
        (call-with-output-string
          (lambda (out) (%write-json value indent 0 out))))
      (%json-written value)))

(define (%json-written value)
  "The text of a value, without indentation.  The interpreter has this procedure
  in C, too."
  (%check-repeats "json->string" value)
  (call-with-output-string (lambda (out) (%write-json value #f 0 out))))

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
