;; template-dates.lisp - dates and times as strftime formats them, for
;; strftime_now of chat templates.

(define (%date-of days)
  "The year, month and day of a number of days after 1 January 1970."
  (call-with-values (lambda () (%day-parts days)) list))

(define (%two-digits n)
  "A number with at least two digits."
  (string-pad-left (number->string n) 2 #\0))

(define (%formatted-time format seconds)
  "The text of a time as strftime formats it in English."
  (let loop ((chars (string->list format)) (made '()))
    (cond ((null? chars) (string-concatenate (reverse made)))
          ((and (eqv? (car chars) #\%) (pair? (cdr chars)))
           (let* ((plain (and (eqv? (cadr chars) #\-) (pair? (cddr chars))))
                  (code (if plain (caddr chars) (cadr chars)))
                  (text (%time-field code seconds)))
             (loop (if plain (cdddr chars) (cddr chars))
                   (cons (cond ((not text) (string #\% (if plain "-" "") code))
                               (plain (%without-padding text))
                               (else text))
                         made))))
          (else (loop (cdr chars) (cons (string (car chars)) made))))))

(define (%without-padding text)
  "The text of a number without the zeros or spaces before it."
  (let ((k (string-skip text (lambda (c) (memv c '(#\0 #\space))))))
    (cond (k (string-drop text k))
          ((string-suffix? "0" text) "0")
          (else text))))

(define (%time-field code seconds)
  "The text of one code of strftime for a time, or #f."
  (let* ((days (quotient seconds 86400))
         (date (%date-of days))
         (year (car date))
         (week-day (modulo (+ days 3) 7))     ; from Monday
         (month (vector-ref %month-names (- (cadr date) 1)))
         (day (vector-ref %day-names (modulo (+ week-day 1) 7)))
         (second (modulo seconds 86400))
         (hour (quotient second 3600))
         (hour-of-12 (+ 1 (modulo (- hour 1) 12)))
         (day-of-year (- days (%days-before year)))      ; from 0
         (spaced (lambda (n) (string-pad-left (number->string n) 2)))
         (all (lambda (format) (%formatted-time format seconds))))
    (case code
      ((#\Y) (number->string year))
      ((#\C) (%two-digits (quotient year 100)))
      ((#\y) (%two-digits (modulo year 100)))
      ((#\m) (%two-digits (cadr date)))
      ((#\d) (%two-digits (caddr date)))
      ((#\e) (spaced (caddr date)))
      ((#\j) (string-pad-left (number->string (+ day-of-year 1)) 3 #\0))
      ((#\B) month)
      ((#\b #\h) (string-take month 3))
      ((#\A) day)
      ((#\a) (string-take day 3))
      ((#\u) (number->string (+ week-day 1)))
      ((#\w) (number->string (modulo (+ week-day 1) 7)))
      ((#\W) (%two-digits (quotient (- (+ day-of-year 7) week-day) 7)))
      ((#\U) (%two-digits (quotient (- (+ day-of-year 7)
                                       (modulo (+ week-day 1) 7))
                                    7)))
      ((#\G #\V) (let ((thursday (+ days (- 3 week-day))))
                   (let ((of-week (car (%date-of thursday))))
                     (if (eqv? code #\G)
                         (number->string of-week)
                         (%two-digits
                          (+ 1 (quotient (- thursday (%days-before of-week))
                                         7)))))))
      ((#\H) (%two-digits hour))
      ((#\I) (%two-digits hour-of-12))
      ((#\k) (spaced hour))
      ((#\l) (spaced hour-of-12))
      ((#\p) (if (< hour 12) "AM" "PM"))
      ((#\M) (%two-digits (quotient (modulo second 3600) 60)))
      ((#\S) (%two-digits (modulo second 60)))
      ((#\f) "000000")                    ; microseconds
      ((#\F) (all "%Y-%m-%d"))
      ((#\D #\x) (all "%m/%d/%y"))
      ((#\T #\X) (all "%H:%M:%S"))
      ((#\R) (all "%H:%M"))
      ((#\r) (all "%I:%M:%S %p"))
      ((#\c) (all "%a %b %e %H:%M:%S %Y"))
      ((#\Z #\z) "")                      ; as Python has it without a zone
      ((#\n) "\n")
      ((#\t) "\t")
      ((#\%) "%")
      (else #f))))

(define (%days-before year)
  "How many days lie between 1 January 1970 and 1 January of a year."
  (%day-number year 1 1))
