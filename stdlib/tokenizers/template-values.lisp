;; template-values.lisp - the values of chat templates, and their texts.
;;
;;     none        the symbol null          a list             a list
;;     a number    a number                 a tuple            a vector
;;     a string    a string                 a dictionary       a hash table
;;     undefined, safe text, a loop, a namespace, a function, a view of a
;;     dictionary, a range: records
;;
;; Texts of values are Python's, because templates were written for it:
;; True, None, ['a', 1], {'b': 2}.

(define %undefined-type (%record-type 'undefined #(#f)))
(define %namespace-type (%record-type 'namespace #(#f)))
(define %callable-type (%record-type 'callable #(#f #f)))
(define %markup-type (%record-type 'markup #(#f)))

(define %view-type (%record-type 'view #(#f #f #f)))

(define (%undefined name)
  "What a name or a field without a value is; name is for messages."
  (%record %undefined-type name))

(define (%undefined? x) (%record? x %undefined-type))
(define (%namespace? x) (%record? x %namespace-type))
(define (%callable? x) (%record? x %callable-type))

(define (%markup text)
  "Text that escape leaves as it is, and that escapes what is joined with it."
  (%record %markup-type text))

(define (%markup? x) (%record? x %markup-type))

;; What items, keys, values and range return is not a list: it prints in its own
;; way, and lists do not join or equal it.

(define (%view name items bounds)
  "The items as Python's dict_items, dict_keys, dict_values or range, which
  is their name; bounds: the start, the end and the step of a range, or #f."
  (%record %view-type name items bounds))

(define (%view? x) (%record? x %view-type))
(define (%view-name x) (%record-ref x %view-type 0 "view"))
(define (%view-items x) (%record-ref x %view-type 1 "view"))
(define (%view-bounds x) (%record-ref x %view-type 2 "view"))
(define (%range? x) (and (%view? x) (%view-bounds x) #t))

(define (%plain x)
  "The value, as a string if it is safe text."
  (if (%markup? x) (%record-ref x %markup-type 0 "markup") x))

(define (%sequence? x)
  "Whether it is a list or a tuple."
  (or (pair? x) (null? x) (vector? x)))

(define (%items-of-sequence x)
  "The items of a list or a tuple, as a list."
  (if (vector? x) (vector->list x) x))

(define (%number-of x)
  "The value, as a number if it is a boolean."
  (cond ((eq? x #t) 1) ((eq? x #f) 0) (else x)))

;; The work of a template is bounded: what is looked at, in items and
;; characters, beside the steps that the evaluator counts.

(define %most-work 200000000)
(define %work-budget (vector 0))

(define (%count-work! n)
  "Count the work of looking at n items or characters."
  (let ((left (- (vector-ref %work-budget 0) n)))
    (vector-set! %work-budget 0 left)
    (when (< left 0)
      (error "apply-chat-template: the template takes too much work"))))

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
        ((vector? x) (> (vector-length x) 0))
        ((%markup? x) (%template-true? (%plain x)))
        ((hash-table? x) (> (hash-size x) 0))
        ((%undefined? x) #f)
        ((%view? x) (pair? (%view-items x)))
        (else #t)))

(define (%template-kind x)
  "A value's kind, for messages."
  (cond ((or (string? x) (%markup? x)) "a string")
        ((boolean? x) "a boolean")
        ((number? x) "a number")
        ((or (pair? x) (null? x)) "a list")
        ((vector? x) "a tuple")
        ((hash-table? x) "a dictionary")
        ((eq? x 'null) "none")
        ((%undefined? x) (string (%record-ref x %undefined-type 0 "undefined")
                                 ", which is undefined"))
        ((%namespace? x) "a namespace")
        ((%range? x) "a range")
        ((%view? x) "a view of a dictionary")
        ((%loop? x) "a loop")
        (else "a function")))

(define (%template-equal? a b)
  "Whether two values are equal; True is 1.  Lists may hold one list many times,
  so the comparisons are counted."
  (let ((a (%number-of a)) (b (%number-of b)))
    (%count-work! 500)
    (cond ((eq? a b) #t)
          ((and (number? a) (number? b)) (= a b))
          ((and (%undefined? a) (%undefined? b)) #t)
          ((and (pair? a) (pair? b))
           (and (%template-equal? (car a) (car b))
                (%template-equal? (cdr a) (cdr b))))
          ((and (vector? a) (vector? b))
           (and (= (vector-length a) (vector-length b))
                (%template-equal? (vector->list a) (vector->list b))))
          ((and (hash-table? a) (hash-table? b))
           (and (= (hash-size a) (hash-size b))
                (every (lambda (key)
                         (and (hash-has-key? b key)
                              (%template-equal? (hash-ref a key)
                                                (hash-ref b key))))
                       (hash-keys a))))
          ((and (%view? a) (%view? b)) (%equal-views? a b))
          ((or (%markup? a) (%markup? b))
           (and (equal? (%plain a) (%plain b)) #t))
          ((string? a) (and (string? b) (string=? a b)))
          (else #f))))

(define (%equal-views? a b)
  "Whether two ranges have the same items, or two views of keys or items the
  same ones in any order."
  (let ((in-a (%view-items a)) (in-b (%view-items b)))
    (cond ((or (%range? a) (%range? b))
           (and (%range? a) (%range? b) (%template-equal? in-a in-b)))
          ((member "dict_values" (list (%view-name a) (%view-name b))) #f)
          (else
           (and (= (length in-a) (length in-b))
                (every (lambda (x)
                         (any (lambda (y) (%template-equal? x y)) in-b))
                       in-a))))))

(define (%template-less? line a b)
  "Whether a value comes before another: numbers, strings, and lists by their
  first items that differ."
  (let ((a (%plain (%number-of a))) (b (%plain (%number-of b))))
    (%count-work! 500)
    (cond ((and (number? a) (number? b)) (< a b))
          ((and (string? a) (string? b)) (string<? a b))
          ((and (vector? a) (vector? b))
           (%template-less? line (vector->list a) (vector->list b)))
          ((and (list? a) (list? b))
           (cond ((null? b) #f)
                 ((null? a) #t)
                 ((%template-equal? (car a) (car b))
                  (%template-less? line (cdr a) (cdr b)))
                 (else (%template-less? line (car a) (car b)))))
          (else
           (%template-error line (string "cannot compare " (%template-kind a)
                                         " with " (%template-kind b)))))))

(define (%dictionary-key line x)
  "A value as a key: a string, a number, a boolean or none."
  (let ((x (%plain x)))
    (if (or (string? x) (number? x) (boolean? x) (eq? x 'null))
        x
        (%template-error line (string "a key cannot be "
                                      (%template-kind x))))))

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
  (cond ((string? x) x)
        ((%markup? x) (%plain x))
        ((%undefined? x) "")
        (else (%python-text x))))

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
        ((or (pair? x) (null? x))
         (string-append "[" (string-join (map %python-text x) ", ") "]"))
        ((vector? x)
         (string-append "(" (string-join (map %python-text (vector->list x))
                                         ", ")
                        (if (= (vector-length x) 1) ",)" ")")))
        ((%markup? x)
         (string-append "Markup(" (%python-string (%plain x)) ")"))
        ((hash-table? x)
         (string-append
          "{"
          (string-join (map (lambda (entry)
                              (string (%python-text (car entry)) ": "
                                      (%python-text (cdr entry))))
                            (hash->list x))
                       ", ")
          "}"))
        ((%undefined? x) "Undefined")
        ((%namespace? x)
         (string-append "<Namespace " (%python-text (%namespace-table x)) ">"))
        ((%range? x) (%range-text (%view-bounds x)))
        ((%view? x)
         (string-append (%view-name x) "(" (%python-text (%view-items x)) ")"))
        ((%loop? x)
         (string "<LoopContext " (+ 1 (%loop-part x 0)) "/" (%loop-part x 1)
                 ">"))
        (else "<function>")))

(define (%range-text bounds)
  "A range with its bounds; a step of 1 does not show."
  (let ((shown (if (= (list-ref bounds 2) 1) (take bounds 2) bounds)))
    (string-append "range(" (string-join (map number->string shown) ", ")
                   ")")))

(define (%python-string text)
  "A string with the quotes and escapes of Python."
  (let* ((double (and (string-index text #\') (not (string-index text #\"))))
         (mark (if double #\" #\')))
    (%count-work! (string-length text))
    (string-append
     (string mark)
     (string-concatenate
      (map (lambda (c)
             (cond ((eqv? c mark) (string #\\ c))
                   ((eqv? c #\\) "\\\\")
                   ((eqv? c #\newline) "\\n")
                   ((eqv? c #\tab) "\\t")
                   ((eqv? c #\return) "\\r")
                   ((%printable? c) (string c))
                   (else (%python-escape (char->integer c)))))
           (string->list text)))
     (string mark))))

;; Code points beyond ASCII that Python's repr escapes, as ranges: controls,
;; formats, spaces, private ones.
(define %unprintable
  '((#x7f #xa0) (#xad #xad) (#x600 #x605) (#x61c #x61c) (#x6dd #x6dd)
    (#x70f #x70f) (#x1680 #x1680) (#x180e #x180e) (#x2000 #x200f)
    (#x2028 #x202f) (#x205f #x206f) (#x3000 #x3000) (#xd800 #xf8ff)
    (#xfeff #xfeff) (#xfff0 #xfffb) (#xfffe #xffff) (#xe0000 #x10ffff)))

(define (%printable? c)
  "Whether Python's repr shows a character as it is."
  (let ((code (char->integer c)))
    (if (< code #x7f)
        (>= code 32)
        (not (any (lambda (range) (<= (car range) code (cadr range)))
                  %unprintable)))))

(define (%python-escape code)
  "A code point as \\x, \\u or \\U."
  (let ((digits (string-downcase (number->string code 16))))
    (cond ((< code #x100) (string "\\x" (string-pad-left digits 2 #\0)))
          ((< code #x10000) (string "\\u" (string-pad-left digits 4 #\0)))
          (else (string "\\U" (string-pad-left digits 8 #\0))))))

;; JSON, as Python's json.dumps writes it.

(define-record-type %json-style
  (%make-json-style indent item-mark key-mark sorted ascii)
  %json-style?
  (indent %json-indent)          ; the text of one level, or #f
  (item-mark %json-item-mark)
  (key-mark %json-key-mark)
  (sorted %json-sorted)
  (ascii %json-ascii))

(define (%template-json line x style level)
  "The JSON text of a value."
  (%count-shown!)
  (let* ((x (%plain x))
         (indent (%json-indent style))
         (break (lambda (n)
                  (if indent
                      (string-append "\n" (string-concatenate
                                           (make-list n indent)))
                      "")))
         (wrap (lambda (open items close)
                 (if (null? items)
                     (string-append open close)
                     (string-append
                      open (break (+ level 1))
                      (string-join items (string-append (%json-item-mark style)
                                                        (break (+ level 1))))
                      (break level) close))))
         (inner (lambda (x) (%template-json line x style (+ level 1)))))
    (cond ((string? x) (%json-string-text x (%json-ascii style)))
          ((eq? x #t) "true")
          ((eq? x #f) "false")
          ((eq? x 'null) "null")
          ((number? x) (%json-number-text x))
          ((%sequence? x) (wrap "[" (map inner (%items-of-sequence x)) "]"))
          ((hash-table? x)
           (wrap "{"
                 (map (lambda (entry)
                        (string-append
                         (%json-string-text (%json-key-text line (car entry))
                                            (%json-ascii style))
                         (%json-key-mark style)
                         (inner (cdr entry))))
                      (if (%json-sorted style)
                          (sort (hash->list x)
                                (lambda (a b)
                                  (%template-less? line (car a) (car b))))
                          (hash->list x)))
                 "}"))
          (else
           (%template-error line (string "tojson cannot write "
                                         (%template-kind x)))))))

(define (%json-number-text x)
  "A number as JSON."
  (if (exact-integer? x)
      (number->string x)
      (let ((text (%python-float (inexact x))))
        (cond ((assoc text '(("nan" . "NaN") ("inf" . "Infinity")
                             ("-inf" . "-Infinity")))
               => cdr)
              (else text)))))

(define (%json-key-text line key)
  "A key as the text of a JSON key."
  (cond ((string? key) key)
        ((eq? key #t) "true")
        ((eq? key #f) "false")
        ((eq? key 'null) "null")
        (else (%json-number-text key))))

(define (%json-string-text text ascii)
  "A string in double quotes; ascii: with escapes for all other characters."
  (%count-work! (string-length text))
  (string-append
   "\""
   (string-concatenate
    (map (lambda (c)
           (let ((code (char->integer c)))
             (cond ((eqv? c #\") "\\\"")
                   ((eqv? c #\\) "\\\\")
                   ((eqv? c #\newline) "\\n")
                   ((eqv? c #\return) "\\r")
                   ((eqv? c #\tab) "\\t")
                   ((eqv? c #\backspace) "\\b")
                   ((eqv? c #\x0C) "\\f")
                   ((or (< code 32) (and ascii (> code 126) (< code #x10000)))
                    (%json-unit-escape code))
                   ((and ascii (>= code #x10000))
                    (let ((code (- code #x10000)))
                      (string-append
                       (%json-unit-escape (+ #xd800 (quotient code 1024)))
                       (%json-unit-escape (+ #xdc00 (remainder code 1024))))))
                   (else (string c)))))
         (string->list text)))
   "\""))

(define (%json-unit-escape code)
  "A unit of 16 bits as \\u and four digits."
  (string "\\u" (string-pad-left (string-downcase (number->string code 16)) 4
                                 #\0)))
