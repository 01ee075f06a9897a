;; template-calls.lisp - the methods of strings and dictionaries, and the
;; functions, that chat templates call.
;;
;; A method takes the run, the line, its object, and the arguments by position
;; and by name; a function the same without the object.

(define (%template-method x name)
  "The method of a value, or #f."
  (let ((found (assoc name (cond ((string? x) (force %string-methods))
                                 ((hash-table? x) (force %table-methods))
                                 ((list? x) (force %list-methods))
                                 (else '())))))
    (and found (cdr found))))

(define (%argument line items k otherwise)
  "The argument at index k; otherwise, or an error if that is 'needed."
  (cond ((< k (length items)) (list-ref items k))
        ((eq? otherwise 'needed)
         (%template-error line "an argument is missing"))
        (else otherwise)))

(define (%string-argument line items k otherwise)
  "The same for a string."
  (let ((x (%argument line items k otherwise)))
    (unless (or (string? x) (eq? x otherwise))
      (%template-error line (string "expected a string, got "
                                    (%template-kind x))))
    x))

(define (%strings-of line x)
  "A string, or those of a list, as a list."
  (let ((all (if (list? x) x (list x))))
    (unless (every string? all)
      (%template-error line (string "expected a string, got "
                                    (%template-kind x))))
    all))

;; Strings.

(define (%trimmer trim)
  "The method that trims white space, or the characters of a string."
  (lambda (run line text items named)
    (let ((letters (%argument line items 0 'null)))
      (if (string? letters)
          (trim text (lambda (c) (and (string-index letters c) #t)))
          (trim text %python-white?)))))

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

(define (%split-method run line text items named)
  "str.split."
  (let ((named-most (assoc "maxsplit" named)) (by (assoc "sep" named)))
    (%split-text line text
                 (if by (cdr by) (%argument line items 0 'null))
                 (if named-most (cdr named-most) (%argument line items 1 -1)))))

(define (%split-right-method run line text items named)
  "str.rsplit: the splits are counted from the right."
  (let ((backwards (lambda (x) (if (string? x) (string-reverse x) x))))
    (map string-reverse
         (reverse (%split-method run line (string-reverse text)
                                 (map backwards items)
                                 (map (lambda (entry)
                                        (cons (car entry)
                                              (backwards (cdr entry))))
                                      named))))))

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

(define (%replace-text run line text from to count)
  "The text with a part replaced, at most that often if count is not negative."
  (let ((made (if (and (< count 0) (not (string=? from "")))
                  (string-replace text from to)
                  (let loop ((start 0) (count count) (parts '()))
                    (let ((k (and (not (= count 0)) (not (string=? from ""))
                                  (string-contains text from start))))
                      (if k
                          (loop (+ k (string-length from)) (- count 1)
                                (cons* to (substring text start k) parts))
                          (string-concatenate
                           (reverse (cons (string-drop text start)
                                          parts)))))))))
    (%count-text! run line (string-length made))
    made))

(define (%text-method f)
  "The method of a procedure of the text alone."
  (lambda (run line text items named) (f text)))

(define (%string-check f)
  "The method that tests the text with each string that is its argument."
  (lambda (run line text items named)
    (any (lambda (part) (f part text))
         (%strings-of line (%argument line items 0 'needed)))))

(define (%all-characters ok?)
  "The method whether all characters of a text that is not empty are ok."
  (%text-method (lambda (text)
                  (and (not (string=? text "")) (string-every ok? text) #t))))

(define %string-methods
  (delay
  (list
   (cons "strip" (%trimmer string-trim))
   (cons "lstrip" (%trimmer string-trim-left))
   (cons "rstrip" (%trimmer string-trim-right))
   (cons "split" %split-method)
   (cons "rsplit" %split-right-method)
   (cons "splitlines"
         (%text-method
          (lambda (text)
            (let ((lines (string-split text "\n")))
              (if (string=? (last lines) "") (drop-right lines 1) lines)))))
   (cons "startswith" (%string-check string-prefix?))
   (cons "endswith" (%string-check string-suffix?))
   (cons "upper" (%text-method string-upcase))
   (cons "lower" (%text-method string-downcase))
   (cons "capitalize" (%text-method %capitalized))
   (cons "title" (%text-method %titled))
   (cons "isdigit" (%all-characters char-numeric?))
   (cons "isalpha" (%all-characters char-alphabetic?))
   (cons "isspace" (%all-characters char-whitespace?))
   (cons "isupper" (%all-characters char-upper-case?))
   (cons "islower" (%all-characters char-lower-case?))
   (cons "removeprefix"
         (lambda (run line text items named)
           (let ((part (%string-argument line items 0 'needed)))
             (if (string-prefix? part text)
                 (string-drop text (string-length part))
                 text))))
   (cons "removesuffix"
         (lambda (run line text items named)
           (let ((part (%string-argument line items 0 'needed)))
             (if (string-suffix? part text)
                 (string-drop-right text (string-length part))
                 text))))
   (cons "replace"
         (lambda (run line text items named)
           (%replace-text run line text (%string-argument line items 0 'needed)
                          (%string-argument line items 1 'needed)
                          (%argument line items 2 -1))))
   (cons "find"
         (lambda (run line text items named)
           (or (string-contains text (%string-argument line items 0 'needed))
               -1)))
   (cons "count"
         (lambda (run line text items named)
           (- (length (%split-text line text
                                   (%string-argument line items 0 'needed) -1))
              1)))
   (cons "join"
         (lambda (run line text items named)
           (let ((all (%template-items line (%argument line items 0 'needed))))
             (string-join (%strings-of line all) text)))))))

;; Dictionaries and lists.

(define %table-methods
  (delay
  (list
   (cons "items"
         (lambda (run line table items named)
           (map (lambda (entry) (list (car entry) (cdr entry)))
                (hash->list table))))
   (cons "keys" (lambda (run line table items named) (hash-keys table)))
   (cons "values" (lambda (run line table items named) (hash-values table)))
   (cons "copy" (lambda (run line table items named) (hash-copy table)))
   (cons "get"
         (lambda (run line table items named)
           (hash-ref table (%argument line items 0 'needed)
                     (%argument line items 1 'null)))))))

(define %list-methods
  (delay
  (list
   (cons "index"
         (lambda (run line all items named)
           (let ((x (%argument line items 0 'needed)))
             (or (list-index (lambda (item) (%template-equal? item x)) all)
                 (%template-error line "the list does not have that item")))))
   (cons "count"
         (lambda (run line all items named)
           (let ((x (%argument line items 0 'needed)))
             (count (lambda (item) (%template-equal? item x)) all)))))))

;; Functions.

(define (%template-range run line items named)
  "range(end), range(start, end) or range(start, end, step)."
  (unless (and (<= 1 (length items) 3) (every exact-integer? items))
    (%template-error line "range takes one to three integers"))
  (let ((start (if (null? (cdr items)) 0 (car items)))
        (end (if (null? (cdr items)) (car items) (cadr items)))
        (step (%argument line items 2 1)))
    (when (= step 0)
      (%template-error line "the step of a range is 0"))
    (let ((n (max 0 (ceiling (/ (- end start) step)))))
      (when (> n 100000)
        (%template-error line (string "a range of " n " numbers is too long")))
      (%count-text! run line n)
      (iota n start step))))

(define (%template-namespace run line items named)
  "namespace(name=value, ...)."
  (let ((table (make-hash-table)))
    (for-each (lambda (x)
                (when (hash-table? x)
                  (hash-for-each x (lambda (key value)
                                     (hash-set! table key value)))))
              items)
    (for-each (lambda (entry) (hash-set! table (car entry) (cdr entry))) named)
    (vector-set! run 2 (cons table (vector-ref run 2)))
    (%record %namespace-type table)))

(define (%template-dict run line items named)
  "dict(name=value, ...)."
  (let ((table (if (and (pair? items) (hash-table? (car items)))
                   (hash-copy (car items))
                   (make-hash-table))))
    (for-each (lambda (entry) (hash-set! table (car entry) (cdr entry))) named)
    table))

(define (%raise-exception run line items named)
  "raise_exception(message): the template refuses the messages."
  (%template-error line (%template-text (%argument line items 0 ""))))

(define (%strftime-now run line items named)
  "strftime_now(format): the date and time, in universal time."
  (%formatted-time (%string-argument line items 0 'needed)
                   (exact (floor (current-seconds)))))

(define %template-functions
  (delay
  (list (cons "range" %template-range)
        (cons "namespace" %template-namespace)
        (cons "dict" %template-dict)
        (cons "raise_exception" %raise-exception)
        (cons "strftime_now" %strftime-now))))

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
