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
  (vector name '()
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

;; Order.

(define (%sort-key whole)
  "The procedure of what a value is sorted by: strings without their case,
  unless whole is true."
  (lambda (value)
    (let ((value (%plain value)))
      (if (and (string? value) (not (%template-true? whole)))
          (string-downcase value)
          value))))

(define (%attribute-getter line path whole)
  "The procedure of what an item is sorted by: itself, or an attribute."
  (let ((key (%sort-key whole)))
    (if (eq? path 'null)
        key
        (lambda (item) (key (%attribute line item path))))))

(define (%sorted-by line items key reverse)
  "Items in the order of their keys, stable."
  (let ((before? (lambda (a b) (%template-less? line (car a) (car b)))))
    (map cdr
         (sort (map (lambda (item) (cons (key item) item)) items)
               (if (%template-true? reverse)
                   (lambda (a b) (before? b a))
                   before?)))))

(define (%sort-filter run line x reverse whole path)
  "sort(reverse, case_sensitive, attribute): attribute may name several."
  (let* ((paths (if (string? path) (string-split path ",") (list path)))
         (getters (map (lambda (path) (%attribute-getter line path whole))
                       paths)))
    (%sorted-by line (%template-items line x)
                (if (null? (cdr getters))
                    (car getters)
                    (lambda (item) (map (lambda (f) (f item)) getters)))
                reverse)))

(define (%dictsort-filter run line x whole by reverse)
  "dictsort(case_sensitive, by, reverse)."
  (unless (hash-table? x)
    (%template-error line "dictsort needs a dictionary"))
  (unless (member by '("key" "value"))
    (%template-error line "dictsort sorts by key or by value"))
  (let ((key (%sort-key whole)) (k (if (string=? by "key") 0 1)))
    (%sorted-by line (%items-of-table x)
                (lambda (entry) (key (vector-ref entry k)))
                reverse)))

(define (%unique-filter run line x whole path)
  "unique(case_sensitive, attribute): the first item of each key."
  (let ((seen (make-hash-table)) (get (%attribute-getter line path whole)))
    (filter (lambda (item)
              (let* ((value (%number-of (get item)))
                     (key (%dictionary-key line (if (and (number? value)
                                                         (integer? value))
                                                    (exact value)
                                                    value))))
                (and (not (hash-has-key? seen key))
                     (begin (hash-set! seen key #t) #t))))
            (%template-items line x))))

(define (%groupby-filter run line x path default whole)
  "groupby(attribute, default, case_sensitive): tuples of a value and the list of
  the items that have it."
  (let* ((key (%sort-key whole))
         (value (lambda (item)
                  (let ((found (%attribute line item path)))
                    (if (and (%undefined? found) (not (eq? default 'null)))
                        default
                        found))))
         (sorted (%sorted-by line (%template-items line x)
                             (lambda (item) (key (value item))) #f)))
    (let loop ((left sorted) (made '()))
      (if (null? left)
          (reverse made)
          (let-values (((same others)
                        (span (lambda (item)
                                (%template-equal? (key (value item))
                                                  (key (value (car left)))))
                              left)))
            (loop others
                  (cons (%item-group (value (car left)) same) made)))))))

(define (%item-group key items)
  "A group, which has the fields grouper and list, and is a tuple of both."
  (vector key items))

(define (%extreme better?)
  "The filters min and max."
  (lambda (run line x whole path)
    (let ((all (%template-items line x))
          (key (%attribute-getter line path whole)))
      (if (null? all)
          (%undefined "an item of an empty list")
          (fold (lambda (item best)
                  (if (better? line (key item) (key best)) item best))
                (car all) (cdr all))))))

;; Parts.

(define (%batch-filter run line x size fill)
  "batch(linecount, fill_with): lists of so many items."
  (let ((size (%check-integer line size)))
    (when (< size 1) (%template-error line "batch needs a positive number"))
    (let loop ((left (%template-items line x)) (made '()))
      (cond ((null? left) (reverse made))
            ((>= (length (take left (min size (length left)))) size)
             (loop (drop left size) (cons (take left size) made)))
            (else
             (let ((missing (- size (length left))))
               (unless (eq? fill 'null) (%count-text! run line missing))
               (loop '() (cons (if (eq? fill 'null)
                                   left
                                   (append left (make-list missing fill)))
                               made))))))))

(define (%slice-filter run line x slices fill)
  "slice(slices, fill_with): so many lists of about equal length."
  (let* ((n (%check-integer line slices))
         (all (%template-items line x))
         (size (length all)))
    (when (< n 1) (%template-error line "slice needs a positive number"))
    (%count-text! run line n)
    (let* ((each (quotient size n)) (longer (modulo size n)))
      (let loop ((k 0) (left all) (made '()))
        (if (= k n)
            (reverse made)
            (let* ((count (+ each (if (< k longer) 1 0)))
                   (part (take left count))
                   (part (if (and (not (eq? fill 'null)) (>= k longer))
                             (append part (list fill))
                             part)))
              (loop (+ k 1) (drop left count) (cons part made))))))))

;; Texts.

(define (%truncate-filter run line x size kill end leeway)
  "truncate(length, killwords, end, leeway)."
  (let* ((text (%template-text x))
         (end (%check-text line end))
         (size (%check-integer line size))
         (leeway (if (eq? leeway 'null) 5 (%check-integer line leeway)))
         (room (- size (string-length end))))
    (when (or (< room 0) (< leeway 0))
      (%template-error line "truncate needs a length of at least that of end"))
    (if (<= (string-length text) (+ size leeway))
        text
        (let* ((part (string-take text room))
               (k (and (not (%template-true? kill)) (%last-place part " "))))
          (string-append (if k (string-take part k) part) end)))))

(define (%indent-filter run line x width first blank)
  "indent(width, first, blank): spaces before lines."
  (let* ((space (if (string? width)
                    width
                    (make-string (%checked-size line width) #\space)))
         (blank (%template-true? blank))
         (lines (%lines-of (string-append (%template-text x) "\n") #f))
         (indented (lambda (text)
                     (if (or blank (not (string=? text "")))
                         (string-append space text)
                         text))))
    (%count-text! run line (* (length lines) (string-length space)))
    (%joined-text run line
                  (cons (if (%template-true? first)
                            (string-append space (car lines))
                            (car lines))
                        (map indented (cdr lines)))
                  "\n")))

(define (%checked-size line n)
  "A number of characters."
  (let ((n (max 0 (%check-integer line n))))
    (when (> n %most-width)
      (%template-error line (string "a width is more than " %most-width)))
    n))

(define (%center-filter run line x width)
  "center(width)."
  ((%callee-procedure (hash-ref (force %string-methods) "center"))
   run line (%template-text x) (%checked-size line width) " "))

(define (%escaped text)
  "The text with HTML's characters escaped."
  (fold (lambda (pair text) (string-replace text (car pair) (cdr pair)))
        text
        '(("&" . "&amp;") (">" . "&gt;") ("<" . "&lt;") ("'" . "&#39;")
          ("\"" . "&#34;"))))

(define (%escape-filter run line x)
  "escape: safe text, which is escaped already if it was safe."
  (if (%markup? x) x (%escaped-value run line x)))

(define (%escaped-value run line x)
  "The text of a value as safe text."
  (let ((text (%escaped (%template-text x))))
    (%count-text! run line (string-length text))
    (%markup text)))

(define (%striptags-filter run line x)
  "striptags: the text without tags and comments of HTML, and single spaces."
  (let loop ((text (%template-text x)) (made '()))
    (let* ((k (string-contains text "<"))
           (comment (and k (string-prefix? "<!--" (string-drop text k))))
           (end (and k (string-contains text (if comment "-->" ">") k))))
      (%count-work! (string-length text))
      (if end
          (loop (string-drop text (+ end (if comment 3 1)))
                (cons (string-take text k) made))
          (string-join
           (%split-white (string->list
                          (string-concatenate (reverse (cons text made))))
                         -1)
           " ")))))

(define (%urlencode-filter run line x)
  "urlencode: a text with % escapes, or the entries of a dictionary."
  (if (string? x)
      (%percent-escaped run line x "/" "%20")
      (string-join
       (map (lambda (entry)
              (string-join (map (lambda (part)
                                  (%percent-escaped run line part "" "+"))
                                (%template-items line entry))
                           "="))
            (if (hash-table? x) (%items-of-table x) (%template-items line x)))
       "&")))

(define (%percent-escaped run line x safe space)
  "The text of a value with % escapes; some characters are safe."
  (let ((bytes (string->utf8 (%template-text x))))
    (%count-text! run line (* 3 (bytevector-length bytes)))
    (string-concatenate
     (map (lambda (byte)
            (let ((c (integer->char byte)))
              (cond ((eqv? c #\space) space)
                    ((and (< byte 128)
                          (or (char-alphabetic? c) (char-numeric? c)
                              (string-index "-._~" c) (string-index safe c)))
                     (string c))
                    (else
                     (string "%" (string-upcase
                                  (string-pad-left (number->string byte 16) 2
                                                   #\0)))))))
          (%bytes->list bytes)))))

(define (%tojson-filter run line x ascii indent separators sort-keys)
  "tojson(ensure_ascii, indent, separators, sort_keys), as transformers has it."
  (let* ((indent (cond ((eq? indent 'null) #f)
                       ((string? indent) indent)
                       (else (make-string (%checked-size line indent) #\space))))
         (marks (if (eq? separators 'null)
                    (list (if indent "," ", ") ": ")
                    (map (lambda (mark) (%check-text line mark))
                         (%template-items line separators)))))
    (unless (= (length marks) 2)
      (%template-error line "separators are two texts"))
    (let ((made (%template-json line x
                                (%make-json-style indent (car marks) (cadr marks)
                                                  (%template-true? sort-keys)
                                                  (%template-true? ascii))
                                0)))
      (%count-text! run line (string-length made))
      made)))

;; Numbers.

(define (%int-filter run line x default base)
  "int(default, base): the integer of a text in a base, or of a number."
  (let* ((x (%number-of x))
         (base (%check-integer line base))
         (whole (and (string? x) (%parsed-integer line x base)))
         (number (if whole whole (%parsed-float x))))
    (cond ((%undefined? x)
           (%template-error line (string "int needs a number, got "
                                         (%template-kind x))))
          ((and (number? number) (= number number) (< (abs number) +inf.0))
           (exact (truncate number)))
          (else default))))

(define (%parsed-integer line text base)
  "The integer of a text as Python's int reads it, or #f.  A prefix such as 0x
  names its base."
  (let* ((text (string-downcase (string-trim text %python-white?)))
         (minus (string-prefix? "-" text))
         (digits (if (or minus (string-prefix? "+" text))
                     (string-drop text 1)
                     text))
         (named (assoc (if (>= (string-length digits) 2)
                           (string-take digits 2)
                           "")
                       '(("0x" . 16) ("0o" . 8) ("0b" . 2))))
         (prefixed (and named (memv base (list 0 (cdr named)))))
         (base (cond (prefixed (cdr named)) ((= base 0) 10) (else base)))
         (digits (if prefixed (string-drop digits 2) digits))
         (ok? (lambda (c)
                (let ((k (string-index "0123456789abcdefghijklmnopqrstuvwxyz"
                                       c)))
                  (or (eqv? c #\_) (and k (< k base)))))))
    (unless (<= 2 base 36)
      (%template-error line "a base is 0, or from 2 to 36"))
    (and (not (string=? digits ""))
         (string-every ok? digits)
         (not (string-prefix? "_" digits)) (not (string-suffix? "_" digits))
         (not (string-contains digits "__"))
         (< (string-length digits) 4300)
         (let ((n (fold (lambda (c n)
                          (if (eqv? c #\_)
                              n
                              (+ (* n base)
                                 (string-index
                                  "0123456789abcdefghijklmnopqrstuvwxyz" c))))
                        0 (string->list digits))))
           (if minus (- n) n)))))

(define (%parsed-float x)
  "A number, or the number of a text as Python's float reads it, or #f."
  (cond ((number? x) x)
        ((string? x)
         (let* ((text (string-downcase (string-trim x %python-white?)))
                (bare (string-trim-left text (lambda (c) (memv c '(#\+ #\-)))))
                (sign (if (string-prefix? "-" text) -1.0 1.0))
                (number (and (string-every
                              (lambda (c) (or (char<=? #\0 c #\9)
                                              (memv c '(#\. #\e #\+ #\- #\_))))
                              text)
                             (string->number (string-replace text "_" "")))))
           (cond ((<= (- (string-length text) (string-length bare)) 1)
                  (cond ((member bare '("inf" "infinity")) (* sign +inf.0))
                        ((string=? bare "nan") +nan.0)
                        (else number)))
                 (else #f))))
        (else #f)))

(define (%float-filter run line x default)
  "float(default)."
  (when (%undefined? x)
    (%template-error line (string "float needs a number, got "
                                  (%template-kind x))))
  (let ((number (%parsed-float (%number-of x))))
    (if number (inexact number) default)))

(define (%round-filter run line x digits method)
  "round(precision, method)."
  (let ((x (%number-of x)) (digits (%check-integer line digits)))
    (unless (number? x)
      (%template-error line (string "round needs a number, got "
                                    (%template-kind x))))
    (unless (member method '("common" "ceil" "floor"))
      (%template-error line "the method of round is common, ceil or floor"))
    (let ((scale (expt 10 (max -400 (min digits 400)))))
      (cond ((and (exact-integer? x) (string=? method "common") (>= digits 0))
             x)
            ((and (inexact? x) (not (< (abs x) +inf.0))) x)
            ((string=? method "common")
             (let ((made (/ (round (* (exact x) scale)) scale)))
               (if (exact-integer? x) made (inexact made))))
            (else
             (inexact (/ ((if (string=? method "ceil") ceiling floor)
                          (exact (* (inexact x) (inexact scale))))
                         scale)))))))

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
  (vector name (%callee-parameters entry) (%callee-procedure entry)))

(define %template-filters
  (delay
   (let ((table
          (%table-of-entries
           (vector "trim" '(("chars" null))
                   (lambda (run line x letters)
                     (let ((made ((%trimmer string-trim) run line
                                  (%template-text x) letters)))
                       (if (%markup? x) (%markup made) made))))
           (%text-filter "upper" string-upcase)
           (%text-filter "lower" string-downcase)
           (%text-filter "capitalize" %capitalized)
           (%text-filter "title" %title-filter)
           (vector "string" '() (lambda (run line x)
                                  (if (%markup? x) x (%template-text x))))
           (vector "safe" '() (lambda (run line x)
                                (if (%markup? x) x (%markup (%template-text x)))))
           (vector "escape" '() %escape-filter)
           (vector "e" '() %escape-filter)
           (vector "forceescape" '() %escaped-value)
           (vector "striptags" '() %striptags-filter)
           (vector "urlencode" '() %urlencode-filter)
           (vector "wordcount" '()
                   (lambda (run line x)
                     (length (%split-white (string->list (%template-text x))
                                           -1))))
           (vector "length" '() (lambda (run line x) (%length-of line x)))
           (vector "default" '(("default_value" "") ("boolean" #f))
                   (lambda (run line x default boolean)
                     (if (or (%undefined? x)
                             (and (%template-true? boolean)
                                  (not (%template-true? x))))
                         default
                         x)))
           (vector "join" '(("d" "") ("attribute" null))
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
           (vector "tojson" '(("ensure_ascii" #f) ("indent" null)
                              ("separators" null) ("sort_keys" #f))
                   %tojson-filter)
           (vector "replace" '("old" "new" ("count" null))
                   (lambda (run line x from to count)
                     (%replace-text run line (%template-text x)
                                    (%template-text from) (%template-text to)
                                    (if (eq? count 'null)
                                        -1
                                        (%check-integer line count)))))
           (vector "first" '()
                   (lambda (run line x)
                     (%end-of (%template-items line x) "first")))
           (vector "last" '()
                   (lambda (run line x)
                     (%end-of (%template-items line x) "last")))
           (vector "list" '() (lambda (run line x) (%template-items line x)))
           (vector "items" '()
                   (lambda (run line x)
                     (cond ((hash-table? x) (%items-of-table x))
                           ((%undefined? x) '())
                           (else
                            (%template-error line
                                             "items needs a dictionary")))))
           (vector "dictsort" '(("case_sensitive" #f) ("by" "key")
                                ("reverse" #f))
                   %dictsort-filter)
           (vector "reverse" '()
                   (lambda (run line x)
                     (if (string? x)
                         (string-reverse x)
                         (reverse (%template-items line x)))))
           (vector "unique" '(("case_sensitive" #f) ("attribute" null))
                   %unique-filter)
           (vector "groupby" '("attribute" ("default" null)
                               ("case_sensitive" #f))
                   %groupby-filter)
           (vector "batch" '("linecount" ("fill_with" null)) %batch-filter)
           (vector "slice" '("slices" ("fill_with" null)) %slice-filter)
           (vector "truncate" '(("length" 255) ("killwords" #f) ("end" "...")
                                ("leeway" null))
                   %truncate-filter)
           (vector "center" '(("width" 80)) %center-filter)
           (vector "format" 'any %format-filter)
           (vector "sum" '(("attribute" null) ("start" 0))
                   (lambda (run line x path start)
                     (fold (lambda (item sum)
                             (%combine run line "+" sum
                                       (if (eq? path 'null)
                                           item
                                           (%attribute line item path))))
                           start (%template-items line x))))
           (vector "min" '(("case_sensitive" #f) ("attribute" null))
                   (%extreme %template-less?))
           (vector "max" '(("case_sensitive" #f) ("attribute" null))
                   (%extreme (lambda (line a b) (%template-less? line b a))))
           (vector "abs" '()
                   (lambda (run line x)
                     (if (number? (%number-of x))
                         (abs (%number-of x))
                         (%template-error line "abs needs a number"))))
           (vector "int" '(("default" 0) ("base" 10)) %int-filter)
           (vector "float" '(("default" 0.0)) %float-filter)
           (vector "round" '(("precision" 0) ("method" "common")) %round-filter)
           (vector "indent" '(("width" 4) ("first" #f) ("blank" #f))
                   %indent-filter)
           (vector "sort" '(("reverse" #f) ("case_sensitive" #f)
                            ("attribute" null))
                   %sort-filter)
           (vector "map" 'any %map-filter)
           (vector "select" 'any (%chooser #t #f))
           (vector "reject" 'any (%chooser #f #f))
           (vector "selectattr" 'any (%chooser #t #t))
           (vector "rejectattr" 'any (%chooser #f #t))
           (vector "attr" '("name")
                   (lambda (run line x name)
                     (%field-of line x (%check-text line name)))))))
     (for-each (lambda (pair)
                 (hash-set! table (car pair)
                            (%same-entry (car pair)
                                         (hash-ref table (cadr pair)))))
               '(("count" "length") ("d" "default")))
     table)))
