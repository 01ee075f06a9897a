;; template-filters.lisp - the filters and tests of chat templates.
;;
;;     {{ messages | selectattr("role", "equalto", "user") | list }}
;;
;; A filter takes the run, the line, its value, and the arguments by position
;; and by name; a test the line, its value and its arguments.

(define (%apply-filter node value env run)
  "The result of a filter for a value."
  (let* ((line (cadr node))
         (name (caddr node))
         (found (assoc name (force %template-filters))))
    (unless found
      (%template-error line (string "unknown filter " name)))
    ((cdr found) run line value
     (map (lambda (x) (%evaluate x env run)) (list-ref node 4))
     (map (lambda (entry) (cons (car entry) (%evaluate (cdr entry) env run)))
          (list-ref node 5)))))

(define (%apply-test run line name value arguments)
  "Whether a test holds for a value."
  (let ((found (assoc name (force %template-tests))))
    (unless found
      (%template-error line (string "unknown test " name)))
    (and ((cdr found) line value arguments) #t)))

(define (%named-argument line items named k name otherwise)
  "The argument at index k or of that name."
  (let ((found (assoc name named)))
    (if found
        (cdr found)
        (%argument line items k otherwise))))

(define (%text-filter f)
  "The filter of a procedure of the value's text."
  (lambda (run line x items named) (f (%template-text x))))

(define (%title-filter text)
  "The text with a capital letter behind white space, hyphens and brackets."
  (let loop ((chars (string->list text)) (inside #f) (made '()))
    (if (null? chars)
        (list->string (reverse made))
        (let ((c (car chars)))
          (loop (cdr chars)
                (not (or (char-whitespace? c) (memv c '(#\- #\( #\{ #\[ #\<))))
                (cons (if inside (char-downcase c) (char-upcase c)) made))))))

(define (%attribute line x path)
  "The field of a value that a path such as \"a.b\" names."
  (fold (lambda (name x)
          (let ((k (string->number name)))
            (if (%undefined? x)
                x
                (%item-of line x (if (exact-integer? k) k name)))))
        x (string-split (%template-text path) ".")))

(define (%length-of line x)
  "The number of items."
  (cond ((string? x) (string-length x))
        ((hash-table? x) (hash-size x))
        (else (length (%template-items line x)))))

(define (%chooser keep by-attribute)
  "The filters select and reject, with attributes or without."
  (lambda (run line x items named)
    (let* ((path (and by-attribute (%argument line items 0 'needed)))
           (rest (if (and by-attribute (pair? items)) (cdr items) items))
           (holds? (lambda (item)
                     (let ((value (if path (%attribute line item path) item)))
                       (if (null? rest)
                           (%template-true? value)
                           (%apply-test run line (car rest) value
                                        (cdr rest)))))))
      (filter (lambda (item) (eq? keep (holds? item)))
              (%template-items line x)))))

(define (%map-filter run line x items named)
  "map(attribute=path), or map(filter, arguments ...)."
  (let ((path (assoc "attribute" named)) (default (assoc "default" named)))
    (map (lambda (item)
           (if path
               (let ((value (%attribute line item (cdr path))))
                 (if (and default (%undefined? value)) (cdr default) value))
               (let ((found (assoc (%argument line items 0 'needed)
                                   (force %template-filters))))
                 (unless found
                   (%template-error line (string "unknown filter "
                                                 (%template-text
                                                  (car items)))))
                 ((cdr found) run line item (cdr items) '()))))
         (%template-items line x))))

(define (%sort-key line item path whole)
  "What an item is sorted by."
  (let ((value (if path (%attribute line item path) item)))
    (if (and (string? value) (not whole)) (string-downcase value) value)))

(define (%sort-filter run line x items named)
  "sort(reverse, case_sensitive, attribute)."
  (let* ((path (%named-argument line items named 2 "attribute" #f))
         (path (and (string? path) path))
         (whole (%template-true? (%named-argument line items named 1 "case_sensitive" #f)))
         (before? (lambda (a b)
                    (%compare line "<" (%sort-key line a path whole)
                              (%sort-key line b path whole))))
         (backwards (%template-true? (%named-argument line items named 0 "reverse" #f))))
    (sort (%template-items line x)
          (if backwards (lambda (a b) (before? b a)) before?))))

(define (%indent-filter run line x items named)
  "indent(width, first, blank): spaces before lines."
  (let* ((width (%named-argument line items named 0 "width" 4))
         (first (%template-true? (%named-argument line items named 1 "first" #f)))
         (blank (%template-true? (%named-argument line items named 2 "blank" #f)))
         (space (if (string? width) width (make-string (min width 1000) #\space)))
         (lines (string-split (%template-text x) "\n"))
         (indented (lambda (text)
                     (if (or blank (not (string=? text "")))
                         (string-append space text)
                         text)))
         (made (string-join (cons (if first (indented (car lines)) (car lines))
                                  (map indented (cdr lines)))
                            "\n")))
    (%count-text! run line (string-length made))
    made))

(define (%number-filter convert)
  "The filters int and float, whose default is 0."
  (lambda (run line x items named)
    (let* ((number (cond ((number? x) x)
                         ((eq? x #t) 1)
                         ((string? x) (string->number (string-trim x)))
                         (else #f)))
           (finite (and number (= number number) (< (abs number) +inf.0))))
      (if finite
          (convert number)
          (%named-argument line items named 0 "default" (convert 0))))))

(define (%round-filter run line x items named)
  "round(precision, method)."
  (unless (number? x)
    (%template-error line (string "round needs a number, got "
                                  (%template-kind x))))
  (let* ((digits (%named-argument line items named 0 "precision" 0))
         (method (%named-argument line items named 1 "method" "common"))
         (scale (expt 10 (if (exact-integer? digits) (min digits 15) 0)))
         (round (cond ((equal? method "ceil") ceiling)
                      ((equal? method "floor") floor)
                      (else round))))
    (inexact (/ (round (* (inexact x) scale)) scale))))

(define (%escaped text)
  "The text with HTML's characters escaped."
  (fold (lambda (pair text) (string-replace text (car pair) (cdr pair)))
        text
        '(("&" . "&amp;") (">" . "&gt;") ("<" . "&lt;") ("'" . "&#39;")
          ("\"" . "&#34;"))))

(define (%extreme operator)
  "The filters min and max."
  (lambda (run line x items named)
    (let ((all (%template-items line x)))
      (if (null? all)
          (%undefined "an item of an empty list")
          (reduce (lambda (a best) (if (%compare line operator a best) a best))
                  #f all)))))

(define %template-filters
  (delay
  (list
   (cons "trim"
         (lambda (run line x items named)
           ((%trimmer string-trim) run line (%template-text x) items named)))
   (cons "upper" (%text-filter string-upcase))
   (cons "lower" (%text-filter string-downcase))
   (cons "capitalize" (%text-filter %capitalized))
   (cons "title" (%text-filter %title-filter))
   (cons "string" (%text-filter values))
   (cons "safe" (%text-filter values))
   (cons "escape" (%text-filter %escaped))
   (cons "e" (%text-filter %escaped))
   (cons "wordcount"
         (%text-filter (lambda (text)
                         (length (%split-white (string->list text) -1)))))
   (cons "length" (lambda (run line x items named) (%length-of line x)))
   (cons "count" (lambda (run line x items named) (%length-of line x)))
   (cons "default"
         (lambda (run line x items named)
           (if (or (%undefined? x)
                   (and (%template-true? (%named-argument line items named 1 "boolean" #f))
                        (not (%template-true? x))))
               (%named-argument line items named 0 "default_value" "")
               x)))
   (cons "join"
         (lambda (run line x items named)
           (let* ((path (%named-argument line items named 1 "attribute" 'null))
                  (texts (map (lambda (item)
                                (%template-text
                                 (if (string? path)
                                     (%attribute line item path)
                                     item)))
                              (%template-items line x)))
                  (made (string-join
                         texts
                         (%template-text (%named-argument line items named 0 "d" "")))))
             (%count-text! run line (string-length made))
             made)))
   (cons "tojson"
         (lambda (run line x items named)
           (let* ((indent (%named-argument line items named 0 "indent" 'null))
                  (made (%template-json line x
                                        (and (exact-integer? indent)
                                             (max 0 (min indent 100)))
                                        0)))
             (%count-text! run line (string-length made))
             made)))
   (cons "replace"
         (lambda (run line x items named)
           (%replace-text run line (%template-text x)
                          (%template-text (%argument line items 0 'needed))
                          (%template-text (%argument line items 1 'needed))
                          (let ((n (%named-argument line items named 2 "count" 'null)))
                            (if (exact-integer? n) n -1)))))
   (cons "first"
         (lambda (run line x items named)
           (let ((all (%template-items line x)))
             (if (null? all) (%undefined "the first item") (car all)))))
   (cons "last"
         (lambda (run line x items named)
           (let ((all (%template-items line x)))
             (if (null? all) (%undefined "the last item") (last all)))))
   (cons "list" (lambda (run line x items named) (%template-items line x)))
   (cons "items"
         (lambda (run line x items named)
           (cond ((hash-table? x)
                  (map (lambda (entry) (list (car entry) (cdr entry)))
                       (hash->list x)))
                 ((%undefined? x) '())
                 (else (%template-error line "items needs a dictionary")))))
   (cons "dictsort"
         (lambda (run line x items named)
           (unless (hash-table? x)
             (%template-error line "dictsort needs a dictionary"))
           (map (lambda (key) (list key (hash-ref x key)))
                (%sort-filter run line (hash-keys x) '() '()))))
   (cons "reverse"
         (lambda (run line x items named)
           (if (string? x)
               (string-reverse x)
               (reverse (%template-items line x)))))
   (cons "unique"
         (lambda (run line x items named)
           (delete-duplicates (%template-items line x) %template-equal?)))
   (cons "sum"
         (lambda (run line x items named)
           (let ((path (%named-argument line items named 0 "attribute" #f)))
             (fold (lambda (item sum)
                     (%combine run line "+" sum
                               (if (string? path)
                                   (%attribute line item path)
                                   item)))
                   (%named-argument line items named 1 "start" 0)
                   (%template-items line x)))))
   (cons "min" (%extreme "<"))
   (cons "max" (%extreme ">"))
   (cons "abs" (lambda (run line x items named)
                 (if (number? x)
                     (abs x)
                     (%template-error line "abs needs a number"))))
   (cons "int" (%number-filter (lambda (x) (exact (truncate x)))))
   (cons "float" (%number-filter inexact))
   (cons "round" %round-filter)
   (cons "indent" %indent-filter)
   (cons "sort" %sort-filter)
   (cons "map" %map-filter)
   (cons "select" (%chooser #t #f))
   (cons "reject" (%chooser #f #f))
   (cons "selectattr" (%chooser #t #t))
   (cons "rejectattr" (%chooser #f #t))
   (cons "attr"
         (lambda (run line x items named)
           (%attribute line x (%argument line items 0 'needed))))
   (cons "d"
         (lambda (run line x items named)
           ((cdr (assoc "default" (force %template-filters))) run line x items
            named))))))

;; Tests.

(define (%kind-test ok?)
  "The test of a predicate."
  (lambda (line x arguments) (ok? x)))

(define (%comparison-test operator)
  "The test that compares with its argument."
  (lambda (line x arguments)
    (%compare line operator x (%argument line arguments 0 'needed))))

(define (%number-test ok?)
  "The test of a predicate of integers."
  (lambda (line x arguments)
    (unless (exact-integer? x)
      (%template-error line (string "expected an integer, got "
                                    (%template-kind x))))
    (apply ok? x arguments)))

(define %template-tests
  (delay
  (append
   (list
    (cons "defined" (%kind-test (lambda (x) (not (%undefined? x)))))
    (cons "undefined" (%kind-test %undefined?))
    (cons "none" (%kind-test (lambda (x) (eq? x 'null))))
    (cons "string" (%kind-test string?))
    (cons "number" (%kind-test (lambda (x) (or (number? x) (boolean? x)))))
    (cons "integer" (%kind-test exact-integer?))
    (cons "float" (%kind-test (lambda (x)
                                (and (number? x) (not (exact-integer? x))))))
    (cons "boolean" (%kind-test boolean?))
    (cons "true" (%kind-test (lambda (x) (eq? x #t))))
    (cons "false" (%kind-test (lambda (x) (eq? x #f))))
    (cons "mapping" (%kind-test hash-table?))
    (cons "sequence" (%kind-test (lambda (x)
                                   (or (list? x) (string? x)
                                       (hash-table? x)))))
    (cons "iterable" (%kind-test (lambda (x)
                                   (or (list? x) (string? x) (hash-table? x)
                                       (%undefined? x)))))
    (cons "callable" (%kind-test %callable?))
    (cons "lower" (%kind-test (lambda (x)
                                (and (string? x)
                                     (string=? x (string-downcase x))
                                     (string-any char-alphabetic? x)))))
    (cons "upper" (%kind-test (lambda (x)
                                (and (string? x)
                                     (string=? x (string-upcase x))
                                     (string-any char-alphabetic? x)))))
    (cons "odd" (%number-test odd?))
    (cons "even" (%number-test even?))
    (cons "divisibleby"
          (%number-test (lambda (x n)
                          (and (exact-integer? n) (not (= n 0))
                               (= (modulo x n) 0)))))
    (cons "sameas" (%comparison-test "==")))
   (append-map
    (lambda (entry)
      (map (lambda (name) (cons name (%comparison-test (car entry))))
           (cdr entry)))
    '(("==" "equalto" "eq" "==") ("!=" "ne" "!=") ("<" "lt" "lessthan" "<")
      (">" "gt" "greaterthan" ">") ("<=" "le" "<=") (">=" "ge" ">=")
      ("in" "in"))))))
