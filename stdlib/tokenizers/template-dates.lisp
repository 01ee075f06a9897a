;; template-dates.lisp - dates and times as strftime formats them, for
;; strftime_now of chat templates.

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
