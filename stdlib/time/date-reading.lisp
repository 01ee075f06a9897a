;; date-reading.lisp - string->date of SRFI 19.
;;
;; The template tells what stands where.  A reader takes the text, an index and a
;; table of what was read so far, and returns the index after what it has read.

(define (%date-read-error text template k)
  "Raise the error for a text that does not fit."
  (error (string "string->date: the text does not fit the template \"" template
                 "\" at index " k ":")
         text))

(define (%text-ref text k)
  "The character at an index; #\\null behind the end."
  (if (< k (string-length text)) (string-ref text k) #\null))

(define (%ascii-digit? c) "Whether it is one of 0 to 9." (and (char>=? c #\0) (char<=? c #\9)))

(define (%read-digits text start most)
  "Two values: the number at an index, or #f, and the index after it."
  (let loop ((k start) (n 0))
    (if (and (< (- k start) most) (%ascii-digit? (%text-ref text k)))
        (loop (+ k 1) (+ (* 10 n) (digit-value (string-ref text k))))
        (values (and (> k start) n) k))))

(define (%number-reader name most skip?)
  "What reads a number into an entry of the table, after characters to skip."
  (lambda (text k fields)
    (let ((start (if skip? (%skip-to text k %ascii-digit?) k)))
      (receive (n end) (%read-digits text start most)
        (and n (begin (hash-set! fields name n) end))))))

(define (%skip-to text k wanted?)
  "The index of the next character that is wanted, or the end."
  (or (string-index text wanted? k) (string-length text)))

(define (%name-reader name names)
  "What reads one of the names, or its first three letters, into an entry."
  (lambda (text k fields)
    (let* ((start (%skip-to text k char-alphabetic?))
           (rest (string-downcase (substring text start (string-length text))))
           (choice (lambda (shown)
                     (vector-index
                      (lambda (full) (string-prefix? (shown (string-downcase full)) rest))
                      names)))
           (full (choice identity))
           (index (or full (choice (lambda (full) (substring full 0 3))))))
      (and index
           (begin
             (hash-set! fields name index)
             (+ start (if full (string-length (vector-ref names full)) 3)))))))

(define (%read-fraction text k fields)
  "Read a second with an optional fraction."
  (receive (second end) (%read-digits text (%skip-to text k %ascii-digit?) 2)
    (and second
         (begin
           (hash-set! fields 'second second)
           (if (and (memv (%text-ref text end) '(#\. #\,))
                    (%ascii-digit? (%text-ref text (+ end 1))))
               (%read-nanosecond text (+ end 1) fields)
               end)))))

(define (%read-nanosecond text k fields)
  "Read the digits of a fraction; those after the ninth are dropped."
  (receive (n end) (%read-digits text k 9)
    (and n
         (begin
           (hash-set! fields 'nanosecond (* n (expt 10 (- 9 (- end k)))))
           (let loop ((k end)) (if (%ascii-digit? (%text-ref text k)) (loop (+ k 1)) k))))))

(define (%read-half text k fields)
  "Read AM or PM."
  (let ((end (+ k 2)))
    (and (<= end (string-length text))
         (let ((entry (assoc (string-downcase (substring text k end))
                             '(("am" . 0) ("pm" . 12)))))
           (and entry (begin (hash-set! fields 'half (cdr entry)) end))))))

(define (%read-year text k fields)
  "Read a year, which may have a sign."
  (let* ((negative? (char=? (%text-ref text k) #\-))
         (start (if (or negative? (char=? (%text-ref text k) #\+)) (+ k 1)
                    (%skip-to text k %ascii-digit?))))
    (receive (n end) (%read-digits text start 9)
      (and n (begin (hash-set! fields 'year (if negative? (- n) n)) end)))))

(define (%read-short-year text k fields)
  "Read two digits of a year, which is within 50 years of this one."
  (receive (n end) (%read-digits text (%skip-to text k %ascii-digit?) 2)
    (and n
         (let ((now (date-year (current-date 0))))
           (hash-set! fields 'year (- (+ now 50) (modulo (- (+ now 50) n) 100)))
           end))))

(define (%read-zone-text text k fields)
  "Read an offset: Z, +0130, +01:30 or +01."
  (let ((match (regexp-search (pregexp "^(?:[Zz]|([-+])(\\d\\d):?(?:(\\d\\d)(?::?(\\d\\d))?)?)")
                              (substring text k (min (string-length text) (+ k 9))))))
    (and match
         (let* ((number (lambda (k) (string->number (or (regexp-match-submatch match k) "0"))))
                (size (+ (* 3600 (number 2)) (* 60 (number 3)) (number 4))))
           (hash-set! fields 'offset
                      (if (equal? (regexp-match-submatch match 1) "-") (- size) size))
           (+ k (string-length (regexp-match-submatch match 0)))))))

(define %date-readers
  (list
   (cons #\a (%name-reader 'week-day %day-names))
   (cons #\A (%name-reader 'week-day %day-names))
   (cons #\b (%name-reader 'month %month-names))
   (cons #\B (%name-reader 'month %month-names))
   (cons #\h (%name-reader 'month %month-names))
   (cons #\d (%number-reader 'day 2 #t))
   (cons #\e (%number-reader 'day 2 #t))
   (cons #\f %read-fraction)
   (cons #\H (%number-reader 'hour 2 #t))
   (cons #\I (%number-reader 'hour 2 #t))
   (cons #\j (%number-reader 'year-day 3 #t))
   (cons #\k (%number-reader 'hour 2 #t))
   (cons #\l (%number-reader 'hour 2 #t))
   (cons #\m (%number-reader 'month-number 2 #t))
   (cons #\M (%number-reader 'minute 2 #t))
   (cons #\N %read-nanosecond)
   (cons #\p %read-half)
   (cons #\s (%number-reader 'seconds 12 #t))
   (cons #\S (%number-reader 'second 2 #t))
   (cons #\y %read-short-year)
   (cons #\Y %read-year)
   (cons #\z %read-zone-text)))

(define (string->date text template)
  "The date that a text tells, by a template like that of date->string: ~Y ~y ~m ~B ~b
  ~d ~e ~j ~A ~a ~H ~k ~I ~l ~p ~M ~S ~f ~N ~s ~z, ~~ and those that are made of them.
  What is before a number or a name is skipped, as SRFI 19 has it.  A text without a time
  is the beginning of the day, one without an offset of the zone of this machine."
  (%check-string "string->date" text)
  (%check-string "string->date" template)
  (let* ((fields (make-hash-table))
         (end (%read-date text 0 template template fields)))
    (unless (= end (string-length text)) (%date-read-error text template end))
    (%date-of-fields text template fields)))

(define (%read-date text k template whole fields)
  "Read what a template says from an index on: the index after it."
  (let loop ((t 0) (k k))
    (if (= t (string-length template))
        k
        (let ((c (string-ref template t)))
          (if (char=? c #\~)
              (loop (+ t 2) (%read-date-directive text k template (+ t 1) whole fields))
              (if (eqv? c (%text-ref text k))
                  (loop (+ t 1) (+ k 1))
                  (%date-read-error text whole k)))))))

(define (%read-date-directive text k template t whole fields)
  "Read what the directive at an index of the template stands for."
  (let* ((directive (%date-directive "string->date" template t))
         (c (string-ref template t))
         (reader (assv c %date-readers)))
    (cond (reader (or ((cdr reader) text k fields) (%date-read-error text whole k)))
          ((string? directive) (%read-date text k directive whole fields))
          ((memv c '(#\~ #\n #\t))
           (if (string=? (directive #f) (string (%text-ref text k)))
               (+ k 1)
               (%date-read-error text whole k)))
          (else
           (error (string "string->date: ~" c " can be written, but not read:") template)))))

(define (%date-of-fields text template fields)
  "The date of what was read."
  (let* ((ref (lambda (name default) (hash-ref fields name default)))
         (offset (ref 'offset #f))
         (where (or offset (local-zone))))
    (if (ref 'seconds #f)
        (%date-there (ref 'seconds 0) (ref 'nanosecond 0) where)
        (let ((month (or (ref 'month-number #f)
                         (let ((index (ref 'month #f))) (and index (+ index 1)))))
              (year (ref 'year #f))
              (year-day (ref 'year-day #f))
              (day (ref 'day #f)))
          (unless (and year (or year-day (and month day)))
            (error (string "string->date: the template \"" template
                           "\" does not tell a year, a month and a day:")
                   text))
          (receive (month day)
              (if (and month day) (values month day) (%month-and-day year year-day))
            (%date-in "string->date" year month day
                      (%whole-hour (ref 'hour 0) (ref 'half #f))
                      (ref 'minute 0) (ref 'second 0) (ref 'nanosecond 0) where 0))))))

(define (%month-and-day year year-day)
  "Two values: those of a day of the year."
  (%check-between "string->date" "day of the year" year-day 1
                  (if (leap-year? year) 366 365))
  (receive (year month day) (%day-parts (+ (%day-number year 1 1) (- year-day 1)))
    (values month day)))

(define (%whole-hour hour half)
  "The hour of 24, where AM and PM are 0 and 12."
  (if half (+ half (modulo hour 12)) hour))
