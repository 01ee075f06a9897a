;; template-calls.lisp - the methods of strings, lists and dictionaries, and the
;; functions, that chat templates call.
;;
;; Each is an entry #(name parameters procedure): the procedure takes the run,
;; the line, the object of a method, and a value for each parameter.  A
;; parameter is a name, or a list of a name and a default; a symbol is by
;; position only.  With any for the parameters the procedure takes the list of
;; the arguments by position and the alist of those by name.

(define (%callee-name entry) (vector-ref entry 0))
(define (%callee-parameters entry) (vector-ref entry 1))
(define (%callee-procedure entry) (vector-ref entry 2))

(define (%table-of-entries . entries)
  "The entries by their names."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry) (hash-set! table (%callee-name entry) entry))
              entries)
    table))

(define (%call-entry entry run line object items named)
  "The value of a call.  object: a list of the method's object, or ()."
  (let ((f (%callee-procedure entry)) (parameters (%callee-parameters entry)))
    (if (eq? parameters 'any)
        (apply f run line (append object (list items named)))
        (apply f run line
               (append object (%bound-arguments line (%callee-name entry)
                                                parameters items named))))))

(define (%bound-arguments line name parameters items named)
  "A value for each parameter; an error for what is missing, or too much."
  (let ((names (map (lambda (p) (if (pair? p) (car p) p)) parameters)))
    (when (> (length items) (length parameters))
      (%template-error line (string name " takes " (length parameters)
                                    " arguments, got " (length items))))
    (for-each (lambda (entry)
                (unless (member (car entry) names)
                  (%template-error line (string name " has no argument "
                                                (car entry)))))
              named)
    (let loop ((parameters parameters) (names names) (items items) (made '()))
      (if (null? parameters)
          (reverse made)
          (let ((by-name (assoc (car names) named)))
            (when (and by-name (pair? items))
              (%template-error line (string name " has the argument "
                                            (car names) " twice")))
            (loop (cdr parameters) (cdr names)
                  (if (pair? items) (cdr items) '())
                  (cons (cond ((pair? items) (car items))
                              (by-name (cdr by-name))
                              ((pair? (car parameters)) (cadar parameters))
                              (else
                               (%template-error
                                line (string name " needs the argument "
                                             (car names)))))
                        made)))))))

(define (%template-method x name)
  "The entry of a value's method; unsafe for one that would change the value, as
  Jinja's sandbox has it; #f if there is none."
  (let ((table (cond ((string? x) (force %string-methods))
                     ((hash-table? x) (force %table-methods))
                     ((%sequence? x) (force %list-methods))
                     (else #f))))
    (and table
         (or (hash-ref table name #f)
             (and (member name (cond ((hash-table? x)
                                      '("pop" "popitem" "update" "clear"
                                        "setdefault"))
                                     ((vector? x) '())
                                     ((list? x)
                                      '("append" "extend" "insert" "pop"
                                        "remove" "reverse" "sort" "clear"))
                                     (else '())))
                  'unsafe)))))

(define (%check-text line x)
  "The value, which must be a string."
  (let ((x (%plain x)))
    (unless (string? x)
      (%template-error line (string "expected a string, got "
                                    (%template-kind x))))
    x))

(define (%check-integer line x)
  "The value, which must be an integer."
  (let ((x (%number-of x)))
    (unless (exact-integer? x)
      (%template-error line (string "expected an integer, got "
                                    (%template-kind x))))
    x))

(define (%strings-of line x)
  "A string, or those of a tuple, as a list."
  (if (vector? x)
      (map (lambda (part) (%check-text line part)) (vector->list x))
      (list (%check-text line x))))

;; Strings.

(define (%trimmer trim)
  "The procedure that trims white space, or the characters of a string."
  (lambda (run line text letters)
    (if (eq? letters 'null)
        (trim text %python-white?)
        (let ((letters (%check-text line letters)))
          (trim text (lambda (c) (and (string-index letters c) #t)))))))

(define (%python-white? c)
  "Whether Python's strip removes the character."
  (or (char-whitespace? c) (memv c '(#\x1C #\x1D #\x1E #\x1F))))

(define (%split-text line text separator most)
  "The parts of a string between separators, or white space; at most that many
  splits, all if it is negative."
  (if (not (string? separator))
      (%split-white (string->list text) most)
      (begin
        (when (string=? separator "")
          (%template-error line "the separator of split is empty"))
        (let loop ((start 0) (most most) (parts '()))
          (let ((k (and (not (= most 0))
                        (string-contains text separator start))))
            (if k
                (loop (+ k (string-length separator)) (- most 1)
                      (cons (substring text start k) parts))
                (reverse (cons (substring text start (string-length text))
                               parts))))))))

(define (%split-white chars most)
  "The words of a list of characters; the rest stays whole after some splits."
  (let ((chars (drop-while %python-white? chars)))
    (cond ((null? chars) '())
          ((= most 0)
           (list (string-trim-right (list->string chars) %python-white?)))
          (else
           (let-values (((word rest) (break %python-white? chars)))
             (cons (list->string word) (%split-white rest (- most 1))))))))

(define (%capitalized text)
  "The text with a capital first letter, and small others."
  (if (string=? text "")
      ""
      (string-append (string-upcase (string-take text 1))
                     (string-downcase (string-drop text 1)))))

(define (%titled text)
  "The text with a capital letter at the beginning of each word."
  (let loop ((chars (string->list text)) (inside #f) (made '()))
    (if (null? chars)
        (list->string (reverse made))
        (let ((c (car chars)))
          (loop (cdr chars) (char-alphabetic? c)
                (cons (if inside (char-downcase c) (char-upcase c)) made))))))

;; The parts of a text between two positions, as Python's methods take them.

(define (%clipped line k count otherwise)
  "A position within so many characters: negative ones count from the end."
  (if (eq? k 'null)
      otherwise
      (let ((k (%check-integer line k)))
        (max 0 (min count (if (< k 0) (+ k count) k))))))

(define (%clipped-part line text start end continue)
  "Continue with the part of a text from start to before end, and start; with #f
  if start is behind the text's end."
  (let* ((n (string-length text))
         (from (%clipped line start n 0))
         (to (%clipped line end n n)))
    (if (or (> from to) (and (exact-integer? start) (> start n)))
        (continue #f from)
        (continue (substring text from to) from))))

(define (%finder search missing)
  "The method that returns the place of a part, or what missing makes."
  (lambda (run line text part start end)
    (let ((part (%check-text line part)))
      (%clipped-part line text start end
                (lambda (within from)
                  (let ((k (and within (search within part))))
                    (if k (+ k from) (missing line))))))))

(define (%last-place text part)
  "Where a part begins that comes last in a text, or #f."
  (let loop ((k (string-contains text part)) (last #f))
    (if (and k (< k (string-length text)))
        (loop (string-contains text part (+ k 1)) k)
        (or k last))))

(define (%not-found line)
  (%template-error line "the text does not have that part"))

(define (%string-check f)
  "The method that tests the beginning or the end of a text with each string that
  is its argument."
  (lambda (run line text parts start end)
    (%clipped-part line text start end
              (lambda (within from)
                (and within
                     (any (lambda (part) (f part within))
                          (%strings-of line parts)))))))

(define (%split-arguments line separator most)
  "Both arguments of split, checked."
  (unless (eq? separator 'null) (%check-text line separator))
  (%check-integer line most))

(define (%split-right line text separator most)
  "str.rsplit: the splits are counted from the right."
  (map string-reverse
       (reverse (%split-text line (string-reverse text)
                             (if (string? separator)
                                 (string-reverse separator)
                                 separator)
                             most))))

(define (%lines-of text keep)
  "The lines of a text, with their ends if keep is true."
  (let loop ((chars (string->list text)) (line '()) (made '()))
    (define (ended rest end)
      (loop rest '()
            (cons (list->string (reverse (if keep (append end line) line)))
                  made)))
    (cond ((null? chars)
           (reverse (if (null? line)
                        made
                        (cons (list->string (reverse line)) made))))
          ((and (eqv? (car chars) #\return) (pair? (cdr chars))
                (eqv? (cadr chars) #\newline))
           (ended (cddr chars) '(#\newline #\return)))
          ((memv (car chars) '(#\newline #\return #\xB #\xC #\x1C #\x1D #\x1E
                               #\x85 #\x2028 #\x2029))
           (ended (cdr chars) (list (car chars))))
          (else (loop (cdr chars) (cons (car chars) line) made)))))

(define (%count-parts text part)
  "How often a part is in a text."
  (if (string=? part "")
      (+ 1 (string-length text))
      (let loop ((start 0) (n 0))
        (let ((k (string-contains text part start)))
          (if k (loop (+ k (string-length part)) (+ n 1)) n)))))

(define (%replace-text run line text from to count)
  "The text with a part replaced, at most that often if count is not negative."
  (let* ((all (%count-parts text from))
         (n (if (< count 0) all (min all count))))
    (%count-text! run line
                  (+ (string-length text)
                     (* n (max 0 (- (string-length to) (string-length from))))))
    (if (string=? from "")
        (let loop ((chars (string->list text)) (n n) (made '()))
          (cond ((= n 0)
                 (string-append (string-concatenate (reverse made))
                                (list->string chars)))
                ((null? chars) (string-concatenate (reverse (cons to made))))
                (else (loop (cdr chars) (- n 1)
                            (cons* (string (car chars)) to made)))))
        (let loop ((start 0) (n n) (parts '()))
          (let ((k (and (> n 0) (string-contains text from start))))
            (if k
                (loop (+ k (string-length from)) (- n 1)
                      (cons* to (substring text start k) parts))
                (string-concatenate
                 (reverse (cons (string-drop text start) parts)))))))))

(define (%partitioned text separator k)
  "The parts of a text before and behind a separator at an index."
  (vector (string-take text k) separator
          (string-drop text (+ k (string-length separator)))))

(define (%padder left right)
  "The method that pads a text: left and right say how many characters of those
  that are missing."
  (lambda (run line text width fill)
    (let* ((fill (%check-text line fill))
           (n (max 0 (- (%check-integer line width) (string-length text)))))
      (unless (= (string-length fill) 1)
        (%template-error line "expected one character to fill with"))
      (%count-text! run line (+ n (string-length text)))
      (string-append (make-string (left n (string-length text))
                                  (string-ref fill 0))
                     text
                     (make-string (right n (string-length text))
                                  (string-ref fill 0))))))

(define (%center-left n size)
  "How many of n characters str.center puts before a text."
  (+ (quotient n 2) (if (and (odd? n) (odd? (+ n size))) 1 0)))

(define (%zero-filled run line text width)
  "str.zfill: zeros behind the sign."
  (let* ((n (max 0 (- (%check-integer line width) (string-length text))))
         (sign (if (and (not (string=? text ""))
                        (memv (string-ref text 0) '(#\+ #\-)))
                   1
                   0)))
    (%count-text! run line (+ n (string-length text)))
    (string-append (string-take text sign) (make-string n #\0)
                   (string-drop text sign))))

(define (%text-method name f)
  "The entry of a method of the text alone."
  (vector name '() (lambda (run line text)
                     (%count-work! (string-length text))
                     (f text))))

(define (%all-characters name ok?)
  "The entry of the method whether all characters of a text that is not empty
  are ok."
  (%text-method name (lambda (text)
                       (and (not (string=? text "")) (string-every ok? text)
                            #t))))

(define (%cased name other-case?)
  "The entry of the method whether a text has letters of one case only."
  (%text-method name (lambda (text)
                       (and (not (string-any other-case? text))
                            (string-any (lambda (c)
                                          (or (char-upper-case? c)
                                              (char-lower-case? c)))
                                        text)
                            #t))))

(define (%identifier? text)
  "Whether a text is a name."
  (and (not (string=? text ""))
       (not (char-numeric? (string-ref text 0)))
       (string-every %name-char? text)
       #t))

(define %range-parameters '((start null) (end null)))

(define %string-methods
  (delay
   (%table-of-entries
    (vector "strip" '((chars null)) (%trimmer string-trim))
    (vector "lstrip" '((chars null)) (%trimmer string-trim-left))
    (vector "rstrip" '((chars null)) (%trimmer string-trim-right))
    (vector "split" '(("sep" null) ("maxsplit" -1))
            (lambda (run line text separator most)
              (%split-arguments line separator most)
              (%split-text line text separator most)))
    (vector "rsplit" '(("sep" null) ("maxsplit" -1))
            (lambda (run line text separator most)
              (%split-arguments line separator most)
              (%split-right line text separator most)))
    (vector "splitlines" '(("keepends" #f))
            (lambda (run line text keep)
              (%lines-of text (%template-true? keep))))
    (vector "startswith" (cons 'prefix %range-parameters)
            (%string-check string-prefix?))
    (vector "endswith" (cons 'suffix %range-parameters)
            (%string-check string-suffix?))
    (%text-method "upper" string-upcase)
    (%text-method "lower" string-downcase)
    (%text-method "casefold" string-foldcase)
    (%text-method "capitalize" %capitalized)
    (%text-method "title" %titled)
    (%text-method "swapcase"
                  (lambda (text)
                    (string-concatenate
                     (map (lambda (c)
                            (if (char-upper-case? c)
                                (string-downcase (string c))
                                (string-upcase (string c))))
                          (string->list text)))))
    (%all-characters "isdigit" char-numeric?)
    (%all-characters "isdecimal" char-numeric?)
    (%all-characters "isnumeric" char-numeric?)
    (%all-characters "isalpha" char-alphabetic?)
    (%all-characters "isalnum" (lambda (c) (or (char-alphabetic? c)
                                               (char-numeric? c))))
    (%all-characters "isspace" %python-white?)
    (%text-method "isascii"
                  (lambda (text)
                    (string-every (lambda (c) (char<=? c #\delete)) text)))
    (%text-method "isidentifier" %identifier?)
    (%cased "isupper" char-lower-case?)
    (%cased "islower" char-upper-case?)
    (%text-method "istitle" (lambda (text)
                              (and (string=? text (%titled text))
                                   (string-any char-alphabetic? text)
                                   #t)))
    (vector "removeprefix" '(prefix)
            (lambda (run line text part)
              (let ((part (%check-text line part)))
                (if (string-prefix? part text)
                    (string-drop text (string-length part))
                    text))))
    (vector "removesuffix" '(suffix)
            (lambda (run line text part)
              (let ((part (%check-text line part)))
                (if (string-suffix? part text)
                    (string-drop-right text (string-length part))
                    text))))
    (vector "replace" '(old new (count -1))
            (lambda (run line text from to count)
              (%replace-text run line text (%check-text line from)
                             (%check-text line to)
                             (%check-integer line count))))
    (vector "find" (cons 'sub %range-parameters)
            (%finder string-contains (lambda (line) -1)))
    (vector "rfind" (cons 'sub %range-parameters)
            (%finder %last-place (lambda (line) -1)))
    (vector "index" (cons 'sub %range-parameters)
            (%finder string-contains %not-found))
    (vector "rindex" (cons 'sub %range-parameters)
            (%finder %last-place %not-found))
    (vector "count" (cons 'sub %range-parameters)
            (lambda (run line text part start end)
              (%clipped-part line text start end
                        (lambda (within from)
                          (if within
                              (%count-parts within (%check-text line part))
                              0)))))
    (vector "join" '(iterable)
            (lambda (run line text items)
              (%joined-text run line
                            (map (lambda (item) (%check-text line item))
                                 (%template-items line items))
                            text)))
    (vector "format" 'any %format-method)
    (vector "partition" '(sep)
            (lambda (run line text separator)
              (let ((k (string-contains text (%check-separator line separator))))
                (if k
                    (%partitioned text separator k)
                    (vector text "" "")))))
    (vector "rpartition" '(sep)
            (lambda (run line text separator)
              (let ((k (%last-place text (%check-separator line separator))))
                (if k
                    (%partitioned text separator k)
                    (vector "" "" text)))))
    (vector "ljust" '(width (fill " "))
            (%padder (lambda (n size) 0) (lambda (n size) n)))
    (vector "rjust" '(width (fill " "))
            (%padder (lambda (n size) n) (lambda (n size) 0)))
    (vector "center" '(width (fill " "))
            (%padder %center-left (lambda (n size) (- n (%center-left n size)))))
    (vector "zfill" '(width) %zero-filled)
    (vector "expandtabs" '(("tabsize" 8))
            (lambda (run line text size)
              (let ((n (max 0 (%check-integer line size))))
                (%count-text! run line (* n (%count-parts text "\t")))
                (%expanded-tabs text n)))))))

(define (%check-separator line x)
  "A separator that is not empty."
  (when (string=? (%check-text line x) "")
    (%template-error line "the separator is empty"))
  x)

(define (%joined-text run line texts mark)
  "Texts with a mark between them."
  (%count-text! run line
                (fold (lambda (text n)
                        (+ n (string-length text) (string-length mark)))
                      0 texts))
  (string-join texts mark))

(define (%expanded-tabs text size)
  "A text with spaces up to the next column for each tab."
  (let loop ((chars (string->list text)) (column 0) (made '()))
    (cond ((null? chars) (string-concatenate (reverse made)))
          ((eqv? (car chars) #\tab)
           (let ((n (if (= size 0) 0 (- size (modulo column size)))))
             (loop (cdr chars) (+ column n)
                   (cons (make-string n #\space) made))))
          (else
           (loop (cdr chars)
                 (if (memv (car chars) '(#\newline #\return)) 0 (+ column 1))
                 (cons (string (car chars)) made))))))

;; Dictionaries and lists.

(define (%items-of-table table)
  "The entries of a dictionary as tuples."
  (map (lambda (entry) (vector (car entry) (cdr entry))) (hash->list table)))

(define %table-methods
  (delay
   (%table-of-entries
    (vector "items" '() (lambda (run line table)
                          (%count-work! (hash-size table))
                          (%items-of-table table)))
    (vector "keys" '() (lambda (run line table)
                         (%count-work! (hash-size table))
                         (hash-keys table)))
    (vector "values" '() (lambda (run line table)
                           (%count-work! (hash-size table))
                           (hash-values table)))
    (vector "copy" '() (lambda (run line table)
                         (%count-text! run line (hash-size table))
                         (hash-copy table)))
    (vector "get" '(key (default null))
            (lambda (run line table key default)
              (hash-ref table (%dictionary-key line key) default))))))

(define %list-methods
  (delay
   (%table-of-entries
    (vector "index" '(value)
            (lambda (run line all x)
              (or (list-index (lambda (item) (%template-equal? item x))
                              (%items-of-sequence all))
                  (%template-error line "the list does not have that item"))))
    (vector "count" '(value)
            (lambda (run line all x)
              (count (lambda (item) (%template-equal? item x))
                     (%items-of-sequence all))))
    (vector "copy" '() (lambda (run line all) all)))))

;; Functions.

(define (%template-range run line items named)
  "range(end), range(start, end) or range(start, end, step)."
  (unless (and (<= 1 (length items) 3) (null? named)
               (every exact-integer? items))
    (%template-error line "range takes one to three integers"))
  (let ((start (if (null? (cdr items)) 0 (car items)))
        (end (if (null? (cdr items)) (car items) (cadr items)))
        (step (if (> (length items) 2) (caddr items) 1)))
    (when (= step 0)
      (%template-error line "the step of a range is 0"))
    (let ((n (max 0 (ceiling (/ (- end start) step)))))
      (when (> n 100000)
        (%template-error line (string "a range of " n " numbers is too long")))
      (%count-text! run line n)
      (iota n start step))))

(define (%template-namespace run line items named)
  "namespace(name=value, ...)."
  (let ((table (%template-dict run line items named)))
    (vector-set! run 2 (cons table (vector-ref run 2)))
    (%record %namespace-type table)))

(define (%template-dict run line items named)
  "dict(name=value, ...), of a dictionary or of pairs."
  (let ((table (make-hash-table)))
    (when (and (pair? items) (pair? (cdr items)))
      (%template-error line "dict takes one argument by position"))
    (for-each
     (lambda (x)
       (if (hash-table? x)
           (hash-for-each x (lambda (key value) (hash-set! table key value)))
           (for-each
            (lambda (entry)
              (let ((both (%template-items line entry)))
                (unless (= (length both) 2)
                  (%template-error line "dict takes pairs of a key and a value"))
                (hash-set! table (%dictionary-key line (car both))
                           (cadr both))))
            (%template-items line x))))
     items)
    (for-each (lambda (entry) (hash-set! table (car entry) (cdr entry))) named)
    (%count-text! run line (hash-size table))
    table))

(define (%raise-exception run line message)
  "raise_exception(message): the template refuses the messages."
  (%template-error line (%template-text message)))

(define (%strftime-now run line format)
  "strftime_now(format): the date and time, in universal time."
  (%formatted-time (%check-text line format)
                   (exact (floor (current-seconds)))))

(define (%template-joiner run line separator)
  "joiner(separator): a function that returns nothing at its first call, and
  then the separator."
  (let ((used (vector #f)))
    (%callable 'function
               (vector "joiner" '()
                       (lambda (run line)
                         (if (vector-ref used 0)
                             separator
                             (begin (vector-set! used 0 #t) "")))))))

(define (%template-cycler run line items named)
  "cycler(item, ...): an object whose next returns one item after the other."
  (when (or (null? items) (pair? named))
    (%template-error line "cycler needs items"))
  (let ((at (vector 0)) (all (list->vector items)) (table (make-hash-table)))
    (define (note!)
      (hash-set! table "current" (vector-ref all (vector-ref at 0))))
    (define (method! name f)
      (hash-set! table name (%callable 'function (vector name '() f))))
    (note!)
    (vector-set! run 2 (cons table (vector-ref run 2)))
    (method! "next" (lambda (run line)
                      (let ((item (vector-ref all (vector-ref at 0))))
                        (vector-set! at 0 (modulo (+ 1 (vector-ref at 0))
                                                  (vector-length all)))
                        (note!)
                        item)))
    (method! "reset" (lambda (run line) (vector-set! at 0 0) (note!) 'null))
    (%record %namespace-type table)))

(define %template-functions
  (delay
   (%table-of-entries
    (vector "range" 'any %template-range)
    (vector "namespace" 'any %template-namespace)
    (vector "dict" 'any %template-dict)
    (vector "joiner" '(("sep" ", ")) %template-joiner)
    (vector "cycler" 'any %template-cycler)
    (vector "raise_exception" '("message") %raise-exception)
    (vector "strftime_now" '("format") %strftime-now))))

;; Dates.

(define %month-names
  '#("January" "February" "March" "April" "May" "June" "July" "August"
     "September" "October" "November" "December"))
(define %day-names
  '#("Monday" "Tuesday" "Wednesday" "Thursday" "Friday" "Saturday" "Sunday"))

(define (%date-of days)
  "The year, month and day of a number of days after 1 January 1970."
  (let* ((z (+ days 719468))              ; days since 1 March of the year 0
         (era (floor (/ z 146097)))
         (of-era (- z (* era 146097)))
         (year (quotient (- of-era (quotient of-era 1460)
                            (- (quotient of-era 36524))
                            (quotient of-era 146096))
                         365))
         (of-year (- of-era (- (+ (* 365 year) (quotient year 4))
                               (quotient year 100))))
         (m (quotient (+ (* 5 of-year) 2) 153))
         (day (+ 1 (- of-year (quotient (+ (* 153 m) 2) 5))))
         (month (if (< m 10) (+ m 3) (- m 9))))
    (list (+ year (* era 400) (if (<= month 2) 1 0)) month day)))

(define (%two-digits n)
  "A number with at least two digits."
  (string-pad-left (number->string n) 2 #\0))

(define (%formatted-time format seconds)
  "The text of a time as strftime formats it."
  (let* ((days (quotient seconds 86400))
         (date (%date-of days))
         (second (modulo seconds 86400))
         (hour (quotient second 3600))
         (month (vector-ref %month-names (- (cadr date) 1)))
         (day (vector-ref %day-names (modulo (+ days 3) 7))))
    (let loop ((chars (string->list format)) (made '()))
      (cond ((null? chars) (string-concatenate (reverse made)))
            ((and (eqv? (car chars) #\%) (pair? (cdr chars)))
             (loop (cddr chars)
                   (cons (case (cadr chars)
                           ((#\Y) (number->string (car date)))
                           ((#\y) (%two-digits (modulo (car date) 100)))
                           ((#\m) (%two-digits (cadr date)))
                           ((#\d) (%two-digits (caddr date)))
                           ((#\B) month)
                           ((#\b) (string-take month 3))
                           ((#\A) day)
                           ((#\a) (string-take day 3))
                           ((#\H) (%two-digits hour))
                           ((#\I) (%two-digits (+ 1 (modulo (- hour 1) 12))))
                           ((#\p) (if (< hour 12) "AM" "PM"))
                           ((#\M) (%two-digits (quotient (modulo second 3600)
                                                         60)))
                           ((#\S) (%two-digits (modulo second 60)))
                           ((#\F) (%formatted-time "%Y-%m-%d" seconds))
                           ((#\T) (%formatted-time "%H:%M:%S" seconds))
                           ((#\%) "%")
                           (else (string #\% (cadr chars))))
                         made)))
            (else (loop (cdr chars) (cons (string (car chars)) made)))))))
