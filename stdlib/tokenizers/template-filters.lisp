;; template-filters.lisp - the filters of chat templates.
;;
;;     {{ messages | selectattr("role", "equalto", "user") | list }}
;;
;; Filters are entries as in template-calls.lisp; the object is the value.
;; %safe-filters take safe text as it is, the others as a string.

(define %safe-filters
  '("safe" "escape" "e" "string" "upper" "lower" "trim" "capitalize"))

(define (%apply-filter node value env run)
  "The result of a filter for a value."
  (let ((items (map (lambda (x) (%evaluate x env run)) (list-ref node 4)))
        (named (map (lambda (entry)
                      (cons (car entry) (%evaluate (cdr entry) env run)))
                    (list-ref node 5))))
    (%call-filter run (cadr node) (caddr node) value items named)))

(define (%call-filter run line name value items named)
  "The result of the filter of that name."
  (let ((entry (hash-ref (force %template-filters) name #f)))
    (unless entry
      (%template-error line (string "unknown filter " (%template-text name))))
    (%call-entry entry run line
                 (list (if (member name %safe-filters) value (%plain value)))
                 items named)))

(define (%text-filter name f)
  "The entry of a filter of the value's text, which stays safe if it was."
  (%callee name '()
          (lambda (run line x)
            (let ((text (%template-text x)))
              (%count-work! (string-length text))
              (if (%markup? x) (%markup (f text)) (f text))))))

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
  "The field of a value that a path such as \"a.b\" names, or an index."
  (if (exact-integer? path)
      (%item-of line x path)
      (fold (lambda (name x)
              (let ((k (string->number name)))
                (if (%undefined? x)
                    (%template-error line (string "cannot take " name " of "
                                                  (%template-kind x)))
                    (%item-of line x (if (exact-integer? k) k name)))))
            x (string-split (%check-text line path) "."))))

(define (%length-of line x)
  "The number of items."
  (let ((x (%plain x)))
    (cond ((string? x) (string-length x))
          ((hash-table? x) (hash-size x))
          ((vector? x) (vector-length x))
          (else (length (%template-items line x))))))

(define (%items-if-any line x)
  "The items of a value; none of one that counts as false."
  (if (%template-true? x) (%template-items line x) '()))

(define (%chooser keep by-attribute)
  "The filters select and reject, with attributes or without."
  (lambda (run line x items named)
    (when (and by-attribute (null? items))
      (%template-error line "an attribute is missing"))
    (let* ((path (and by-attribute (car items)))
           (rest (if by-attribute (cdr items) items))
           (holds? (lambda (item)
                     (let ((value (if by-attribute
                                      (%attribute line item path)
                                      item)))
                       (if (null? rest)
                           (%template-true? value)
                           (%apply-test run line (car rest) value
                                        (cdr rest) named))))))
      (filter (lambda (item) (eq? keep (holds? item)))
              (%items-if-any line x)))))

(define (%map-filter run line x items named)
  "map(attribute=path, default=value), or map(filter, arguments ...)."
  (let ((path (assoc "attribute" named)) (default (assoc "default" named)))
    (cond ((and (null? items) path)
           (unless (= (length named) (if default 2 1))
             (%template-error line "map takes attribute and default"))
           (map (lambda (item)
                  (let ((value (%attribute line item (cdr path))))
                    (if (and default (%undefined? value)) (cdr default) value)))
                (%items-if-any line x)))
          ((null? items)
           (%template-error line "map needs a filter or attribute="))
          (else
           (map (lambda (item)
                  (%call-filter run line (%plain (car items)) item (cdr items)
                                named))
                (%items-if-any line x))))))

(define (%format-filter run line x items named)
  "format: the operator %, with the arguments as values."
  (when (and (pair? items) (pair? named))
    (%template-error line "format takes values by position or by name"))
  (%percent-formatted run line (%template-text x)
                      (if (pair? named) (%template-dict run line '() named)
                          items)))

(define (%end-of items which)
  "The first or the last item, or undefined."
  (if (null? items)
      (%undefined (string "the " which " item of an empty list"))
      (if (string=? which "first") (car items) (last items))))

(define (%same-entry name entry)
  "An entry with another name."
  (%callee name (%callee-parameters entry) (%callee-procedure entry)))

(define %template-filters
  (delay
   (let ((table
          (%table-of-entries
           (%callee "trim" '(("chars" null))
                   (lambda (run line x letters)
                     (let ((made ((%trimmer string-trim) run line
                                  (%template-text x) letters)))
                       (if (%markup? x) (%markup made) made))))
           (%text-filter "upper" string-upcase)
           (%text-filter "lower" string-downcase)
           (%text-filter "capitalize" %capitalized)
           (%text-filter "title" %title-filter)
           (%callee "string" '() (lambda (run line x)
                                  (if (%markup? x) x (%template-text x))))
           (%callee "safe" '() (lambda (run line x)
                                (if (%markup? x) x (%markup (%template-text x)))))
           (%callee "escape" '() %escape-filter)
           (%callee "e" '() %escape-filter)
           (%callee "forceescape" '() %escaped-value)
           (%callee "striptags" '() %striptags-filter)
           (%callee "urlencode" '() %urlencode-filter)
           (%callee "wordcount" '()
                   (lambda (run line x)
                     (length (%split-white (string->list (%template-text x))
                                           -1))))
           (%callee "length" '() (lambda (run line x) (%length-of line x)))
           (%callee "default" '(("default_value" "") ("boolean" #f))
                   (lambda (run line x default boolean)
                     (if (or (%undefined? x)
                             (and (%template-true? boolean)
                                  (not (%template-true? x))))
                         default
                         x)))
           (%callee "join" '(("d" "") ("attribute" null))
                   (lambda (run line x mark path)
                     (%joined-text
                      run line
                      (map (lambda (item)
                             (%template-text
                              (if (eq? path 'null)
                                  item
                                  (%attribute line item path))))
                           (%template-items line x))
                      (%template-text mark))))
           (%callee "tojson" '(("ensure_ascii" #f) ("indent" null)
                              ("separators" null) ("sort_keys" #f))
                   %tojson-filter)
           (%callee "replace" '("old" "new" ("count" null))
                   (lambda (run line x from to count)
                     (%replace-text run line (%template-text x)
                                    (%template-text from) (%template-text to)
                                    (if (eq? count 'null)
                                        -1
                                        (%check-integer line count)))))
           (%callee "first" '()
                   (lambda (run line x)
                     (%end-of (%template-items line x) "first")))
           (%callee "last" '()
                   (lambda (run line x)
                     (%end-of (%template-items line x) "last")))
           (%callee "list" '() (lambda (run line x) (%template-items line x)))
           (%callee "items" '()
                   (lambda (run line x)
                     (cond ((hash-table? x) (%items-of-table x))
                           ((%undefined? x) '())
                           (else
                            (%template-error line
                                             "items needs a dictionary")))))
           (%callee "dictsort" '(("case_sensitive" #f) ("by" "key")
                                ("reverse" #f))
                   %dictsort-filter)
           (%callee "reverse" '()
                   (lambda (run line x)
                     (if (string? x)
                         (string-reverse x)
                         (reverse (%template-items line x)))))
           (%callee "unique" '(("case_sensitive" #f) ("attribute" null))
                   %unique-filter)
           (%callee "groupby" '("attribute" ("default" null)
                               ("case_sensitive" #f))
                   %groupby-filter)
           (%callee "batch" '("linecount" ("fill_with" null)) %batch-filter)
           (%callee "slice" '("slices" ("fill_with" null)) %slice-filter)
           (%callee "truncate" '(("length" 255) ("killwords" #f) ("end" "...")
                                ("leeway" null))
                   %truncate-filter)
           (%callee "center" '(("width" 80)) %center-filter)
           (%callee "format" 'any %format-filter)
           (%callee "sum" '(("attribute" null) ("start" 0))
                   (lambda (run line x path start)
                     (fold (lambda (item sum)
                             (%combine run line "+" sum
                                       (if (eq? path 'null)
                                           item
                                           (%attribute line item path))))
                           start (%template-items line x))))
           (%callee "min" '(("case_sensitive" #f) ("attribute" null))
                   (%extreme %template-less?))
           (%callee "max" '(("case_sensitive" #f) ("attribute" null))
                   (%extreme (lambda (line a b) (%template-less? line b a))))
           (%callee "abs" '()
                   (lambda (run line x)
                     (if (number? (%number-of x))
                         (abs (%number-of x))
                         (%template-error line "abs needs a number"))))
           (%callee "int" '(("default" 0) ("base" 10)) %int-filter)
           (%callee "float" '(("default" 0.0)) %float-filter)
           (%callee "round" '(("precision" 0) ("method" "common")) %round-filter)
           (%callee "indent" '(("width" 4) ("first" #f) ("blank" #f))
                   %indent-filter)
           (%callee "sort" '(("reverse" #f) ("case_sensitive" #f)
                            ("attribute" null))
                   %sort-filter)
           (%callee "map" 'any %map-filter)
           (%callee "select" 'any (%chooser #t #f))
           (%callee "reject" 'any (%chooser #f #f))
           (%callee "selectattr" 'any (%chooser #t #t))
           (%callee "rejectattr" 'any (%chooser #f #t))
           (%callee "attr" '("name")
                   (lambda (run line x name)
                     (%attribute-of line x (%check-text line name)))))))
     (for-each (lambda (pair)
                 (hash-set! table (car pair)
                            (%same-entry (car pair)
                                         (hash-ref table (cadr pair)))))
               '(("count" "length") ("d" "default")))
     table)))
