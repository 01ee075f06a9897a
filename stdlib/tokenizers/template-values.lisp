;; template-values.lisp - the values of chat templates, and their texts.
;;
;;     none        the symbol null          a list, a tuple    a list
;;     a number    a number                 a dictionary       a hash table
;;     a string    a string                 undefined          a record
;;
;; Texts of values are Python's, because templates were written for it:
;; True, None, ['a', 1], {'b': 2}.

(define %undefined-type (%record-type 'undefined #(#f)))
(define %namespace-type (%record-type 'namespace #(#f)))
(define %callable-type (%record-type 'callable #(#f #f)))

(define (%undefined name)
  "What a name or a field without a value is; name is for messages."
  (%record %undefined-type name))

(define (%undefined? x) (%record? x %undefined-type))
(define (%namespace? x) (%record? x %namespace-type))
(define (%callable? x) (%record? x %callable-type))

(define (%namespace-table x)
  "The table of a namespace."
  (%record-ref x %namespace-type 0 "namespace"))

(define (%callable kind value)
  "A value that a template can call: kind is macro, function or method."
  (%record %callable-type kind value))

(define (%callable-part x k)
  "The kind or the value of a callable."
  (%record-ref x %callable-type k "callable"))

;; From Lisp.

(define (%template-value who x)
  "A Lisp value as templates see it.  Alists and hash tables are dictionaries;
  their keys are strings, symbols or keywords."
  (cond ((or (string? x) (number? x) (boolean? x)) x)
        ((eq? x 'null) x)
        ((symbol? x) (symbol->string x))
        ((hash-table? x) (%template-table who (hash->list x)))
        ((vector? x) (%template-value who (vector->list x)))
        ((null? x) x)
        ((and (list? x) (every %entry? x)) (%template-table who x))
        ((list? x) (map (lambda (item) (%template-value who item)) x))
        (else
         (wrong-type who "strings, numbers, booleans, lists, alists or tables"
                     x))))

(define (%entry? x)
  "Whether it is an entry of an alist."
  (and (pair? x)
       (or (string? (car x)) (symbol? (car x)) (keyword? (car x)))
       (not (eq? (car x) 'null))))

(define (%template-table who entries)
  "The dictionary of the entries of an alist."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry)
                (let ((key (car entry)))
                  (hash-set! table
                             (cond ((symbol? key) (symbol->string key))
                                   ((keyword? key) (keyword->string key))
                                   (else key))
                             (%template-value who (cdr entry)))))
              entries)
    table))

;; Truth and kinds.

(define (%template-true? x)
  "Whether a value counts as true: not if it is empty, 0, none or undefined."
  (cond ((boolean? x) x)
        ((number? x) (not (= x 0)))
        ((string? x) (not (string=? x "")))
        ((null? x) #f)
        ((eq? x 'null) #f)
        ((hash-table? x) (> (hash-size x) 0))
        ((%undefined? x) #f)
        (else #t)))

(define (%template-kind x)
  "A value's kind, for messages."
  (cond ((string? x) "a string")
        ((boolean? x) "a boolean")
        ((number? x) "a number")
        ((list? x) "a list")
        ((hash-table? x) "a dictionary")
        ((eq? x 'null) "none")
        ((%undefined? x) (string (%record-ref x %undefined-type 0 "undefined")
                                 ", which is undefined"))
        ((%namespace? x) "a namespace")
        (else "a function")))

(define (%template-equal? a b)
  "Whether two values are equal; True is 1."
  (let ((number (lambda (x) (cond ((eq? x #t) 1) ((eq? x #f) 0) (else x)))))
    (let ((a (number a)) (b (number b)))
      (cond ((and (number? a) (number? b)) (= a b))
            ((and (%undefined? a) (%undefined? b)) #t)
            ((and (pair? a) (pair? b))
             (and (%template-equal? (car a) (car b))
                  (%template-equal? (cdr a) (cdr b))))
            ((and (hash-table? a) (hash-table? b))
             (and (= (hash-size a) (hash-size b))
                  (every (lambda (key)
                           (and (hash-has-key? b key)
                                (%template-equal? (hash-ref a key)
                                                  (hash-ref b key))))
                         (hash-keys a))))
            (else (equal? a b))))))

;; Texts.

(define (%python-float x)
  "The text of a double."
  (cond ((not (= x x)) "nan")
        ((= x +inf.0) "inf")
        ((= x -inf.0) "-inf")
        ((and (not (= x 0.0)) (or (>= (abs x) 1e16) (< (abs x) 1e-4)))
         (%python-exponent (number->string x)))
        (else (number->string x))))

(define (%python-exponent text)
  "The text of a large or small double with its exponent in Python's way."
  (let* ((minus (string-prefix? "-" text))
         (text (if minus (string-drop text 1) text))
         (parts (string-split text "e"))
         (shift (if (pair? (cdr parts)) (string->number (cadr parts)) 0))
         (both (string-split (car parts) "."))
         (fraction (if (pair? (cdr both)) (cadr both) ""))
         (all (string-append (car both) fraction))
         (zeros (or (string-skip all #\0) 0))
         (digits (string-trim all (lambda (c) (eqv? c #\0))))
         (power (+ shift (- (string-length (car both)) 1 zeros))))
    (string (if minus "-" "")
            (string-take digits 1)
            (if (> (string-length digits) 1)
                (string-append "." (string-drop digits 1))
                "")
            "e" (if (< power 0) "-" "+")
            (if (< (abs power) 10) "0" "")
            (abs power))))

(define (%template-text x)
  "A value as it appears in a text."
  (if (string? x) x (%python-text x)))

(define %text-budget (vector 0))        ; values that may still be shown

(define (%count-shown!)
  "Count one more value that is shown: lists may hold one list many times."
  (vector-set! %text-budget 0 (- (vector-ref %text-budget 0) 1))
  (when (< (vector-ref %text-budget 0) 0)
    (error "apply-chat-template: the template shows too many values")))

(define (%python-text x)
  "A value as Python's repr shows it."
  (%count-shown!)
  (cond ((string? x) (%python-string x))
        ((eq? x #t) "True")
        ((eq? x #f) "False")
        ((eq? x 'null) "None")
        ((and (number? x) (exact-integer? x)) (number->string x))
        ((number? x) (%python-float (inexact x)))
        ((list? x) (string-append "[" (string-join (map %python-text x) ", ")
                                  "]"))
        ((hash-table? x)
         (string-append
          "{"
          (string-join (map (lambda (entry)
                              (string (%python-text (car entry)) ": "
                                      (%python-text (cdr entry))))
                            (hash->list x))
                       ", ")
          "}"))
        ((%undefined? x) "")
        ((%namespace? x)
         (string-append "<Namespace " (%python-text (%namespace-table x)) ">"))
        (else "<function>")))

(define (%python-string text)
  "A string with the quotes and escapes of Python."
  (let* ((double (and (string-index text #\') (not (string-index text #\"))))
         (mark (if double #\" #\')))
    (string-append
     (string mark)
     (string-concatenate
      (map (lambda (c)
             (cond ((eqv? c mark) (string #\\ c))
                   ((eqv? c #\\) "\\\\")
                   ((eqv? c #\newline) "\\n")
                   ((eqv? c #\tab) "\\t")
                   ((eqv? c #\return) "\\r")
                   ((or (char<? c #\space) (eqv? c #\delete))
                    (let ((code (number->string (char->integer c) 16)))
                      (string "\\x" (if (= (string-length code) 1) "0" "")
                              code)))
                   (else (string c))))
           (string->list text)))
     (string mark))))

;; JSON, as Python's json.dumps writes it.

(define (%template-json line x indent level)
  "The JSON text of a value; indent is a number of spaces or #f."
  (%count-shown!)
  (let* ((inner (+ level 1))
         (break (lambda (n)
                  (if indent
                      (string-append "\n" (make-string (* n indent) #\space))
                      "")))
         (wrap (lambda (open items close)
                 (if (null? items)
                     (string-append open close)
                     (string-append open (break inner)
                                    (string-join items
                                                 (if indent
                                                     (string-append ","
                                                                    (break inner))
                                                     ", "))
                                    (break level) close)))))
    (cond ((string? x) (%json-string-text x))
          ((eq? x #t) "true")
          ((eq? x #f) "false")
          ((eq? x 'null) "null")
          ((number? x)
           (if (exact-integer? x)
               (number->string x)
               (let ((text (%python-float (inexact x))))
                 (cond ((assoc text '(("nan" . "NaN") ("inf" . "Infinity")
                                      ("-inf" . "-Infinity")))
                        => cdr)
                       (else text)))))
          ((list? x)
           (wrap "[" (map (lambda (item)
                            (%template-json line item indent inner))
                          x)
                 "]"))
          ((hash-table? x)
           (wrap "{"
                 (map (lambda (entry)
                        (string-append
                         (%json-string-text (%template-text (car entry))) ": "
                         (%template-json line (cdr entry) indent inner)))
                      (hash->list x))
                 "}"))
          (else
           (%template-error line (string "tojson cannot write "
                                         (%template-kind x)))))))

(define (%json-string-text text)
  "A string in double quotes."
  (string-append
   "\""
   (string-concatenate
    (map (lambda (c)
           (cond ((eqv? c #\") "\\\"")
                 ((eqv? c #\\) "\\\\")
                 ((eqv? c #\newline) "\\n")
                 ((eqv? c #\return) "\\r")
                 ((eqv? c #\tab) "\\t")
                 ((eqv? c #\backspace) "\\b")
                 ((eqv? c #\x0C) "\\f")
                 ((char<? c #\space)
                  (let ((code (number->string (char->integer c) 16)))
                    (string "\\u" (make-string (- 4 (string-length code)) #\0)
                            code)))
                 (else (string c))))
         (string->list text)))
   "\""))
