;; everyday.lisp - dates for everyday work: short names over those of SRFI 19.

(define (%date-in who year month day hour minute second nanosecond where fold)
  "The date that a calendar and a clock show where the zone or offset is that."
  (%check-date-fields who nanosecond second minute hour day month year)
  (if (zone? where)
      (let* ((local (+ (* 86400 (%day-number year month day))
                       (* 3600 hour) (* 60 minute) second))
             (type (%zone-type-there where local fold)))
        (%new-date nanosecond second minute hour day month year
                   (%type-offset type) where))
      (%new-date nanosecond second minute hour day month year where #f)))

(define (local-date year month day :hour 0 :minute 0 :second 0 :nanosecond 0
                    :zone #f :fold 0)
  "The date that a calendar and a clock show: (local-date 2026 11 28 :hour 9 :zone
  \"Europe/Berlin\").

  zone: a zone, its name, or an offset from UTC in seconds; left out, the zone of this
  machine.  Where a clock is set back a time comes twice: fold 0 is the first, 1 the
  second.  A time that a clock skips counts as before the change, or after it with
  fold 1."
  (%check-between "local-date" "fold" fold 0 1)
  (%date-in "local-date" year month day hour minute second nanosecond
            (%zone-argument "local-date" zone) fold))

(define (date-in-zone date zone)
  "The same moment on the clocks of another zone: a zone, its name, an offset from UTC
  in seconds, or #f for the zone of this machine."
  (%check-date "date-in-zone" date)
  (%date-there (%date-utc-seconds date) (date-nanosecond date)
               (%zone-argument "date-in-zone" zone)))

(define (date->seconds date)
  "The seconds since the beginning of 1970, an exact number."
  (/ (%date-nanoseconds "date->seconds" date) %billion))

(define (seconds->date seconds . zone)
  "The date that is a number of seconds after the beginning of 1970; zone is that of
  date-in-zone."
  (unless (and (real? seconds) (finite? seconds))
    (wrong-type "seconds->date" "a finite real number" seconds))
  (let ((all (round (* (exact seconds) %billion))))
    (%date-there (floor-quotient all %billion) (floor-remainder all %billion)
                 (%optional-zone "seconds->date" zone))))

(define (timespec->date time . zone)
  "The date of a timespec, such as file-info:mtime returns; zone is that of
  date-in-zone."
  (unless (timespec? time) (wrong-type "timespec->date" "a timespec" time))
  (%date-there (timespec-seconds time) (timespec-nanoseconds time)
               (%optional-zone "timespec->date" zone)))

;; Arithmetic.  Seconds, minutes and hours pass; days, weeks, months and years
;; count on the calendar, and the clock shows the same time after them.

(define (%where-of date)
  "The zone of a date, or its offset."
  (or (%date-zone date) (date-zone-offset date)))

(define (%add-seconds who date seconds)
  "The date that is a number of seconds later."
  (%check-date who date)
  (unless (and (real? seconds) (finite? seconds))
    (wrong-type who "a finite real number" seconds))
  (let ((all (+ (%date-nanoseconds who date)
                (round (* (exact seconds) %billion)))))
    (%date-there (floor-quotient all %billion) (floor-remainder all %billion)
                 (%where-of date))))

(define (add-seconds date n)
  "The date n seconds later."
  (%add-seconds "add-seconds" date n))
(define (add-minutes date n)
  "The date n minutes later."
  (%check-real "add-minutes" n)
  (%add-seconds "add-minutes" date (* 60 n)))
(define (add-hours date n)
  "The date n hours later."
  (%check-real "add-hours" n)
  (%add-seconds "add-hours" date (* 3600 n)))

(define (%check-real who n)
  "Raise an error unless n is a real number."
  (unless (real? n) (wrong-type who "a real number" n)))

(define (%on-day who date year month day)
  "A date on another day, at the same time on the clock."
  (%date-in who year month day (date-hour date) (date-minute date)
            (min 59 (date-second date)) (date-nanosecond date) (%where-of date) 0))

(define (%add-days who date n)
  "The date n days later."
  (%check-date who date)
  (%check-whole who "number of days" n)
  (receive (year month day) (%day-parts (+ (%date-day-number date) n))
    (%on-day who date year month day)))

(define (add-days date n)
  "The date n days later, at the same time on the clock."
  (%add-days "add-days" date n))
(define (add-weeks date n)
  "The date n weeks later, at the same time on the clock."
  (%check-whole "add-weeks" "number of weeks" n)
  (%add-days "add-weeks" date (* 7 n)))

(define (%add-months who date n)
  "The date n months later, or the last day of its month."
  (%check-date who date)
  (%check-whole who "number of months" n)
  (let* ((months (+ (* 12 (date-year date)) (date-month date) -1 n))
         (year (floor-quotient months 12))
         (month (+ 1 (floor-remainder months 12))))
    (%on-day who date year month (min (date-day date) (days-in-month year month)))))

(define (add-months date n)
  "The date n months later.  After (local-date 2026 1 31), one month later, comes the
  last day of February."
  (%add-months "add-months" date n))
(define (add-years date n)
  "The date n years later; of the 29th of February, where it does not exist, the 28th."
  (%check-whole "add-years" "number of years" n)
  (%add-months "add-years" date (* 12 n)))

(define (start-of-day date)
  "The date with the clock at 0:00."
  (%check-date "start-of-day" date)
  (%date-in "start-of-day" (date-year date) (date-month date) (date-day date)
            0 0 0 0 (%where-of date) 0))

(define (days-between from to)
  "How many days of the calendar lie from one date to another."
  (%check-date "days-between" from)
  (%check-date "days-between" to)
  (- (%date-day-number to) (%date-day-number from)))

(define (seconds-between from to)
  "How many seconds pass from one date to another, an exact number."
  (/ (- (%date-nanoseconds "seconds-between" to)
        (%date-nanoseconds "seconds-between" from))
     %billion))

;; Comparisons are of moments: 12:00 in Berlin is 11:00 in London.

(define (%compare-dates who before? a b)
  "Compare the moments of two dates."
  (before? (%date-nanoseconds who a) (%date-nanoseconds who b)))

(define (date<? a b)
  "Whether a date is before another one."
  (%compare-dates "date<?" < a b))
(define (date<=? a b)
  "Whether a date is not after another one."
  (%compare-dates "date<=?" <= a b))
(define (date=? a b)
  "Whether two dates are the same moment."
  (%compare-dates "date=?" = a b))
(define (date>=? a b)
  "Whether a date is not before another one."
  (%compare-dates "date>=?" >= a b))
(define (date>? a b)
  "Whether a date is after another one."
  (%compare-dates "date>?" > a b))

;; ISO 8601.

(define (date->iso8601 date)
  "A date as ISO 8601 and RFC 3339 have it: 2026-11-28T09:46:00+01:00."
  (%check-date "date->iso8601" date)
  (string-append (date->string date "~Y-~m-~dT~H:~M:~f")
                 (if (= 0 (date-zone-offset date))
                     "Z"
                     (%offset-text (date-zone-offset date) ":"))))

(define %iso-pattern
  (string-append
   "^(?<year>[-+]\\d{4,9}|\\d{4})"
   "(?:-(?<month>\\d\\d)-(?<day>\\d\\d)|(?<month2>\\d\\d)(?<day2>\\d\\d)"
   "|-?W(?<week>\\d\\d)(?:-?(?<weekday>[1-7]))?|-?(?<yearday>\\d{3})"
   "|-(?<month3>\\d\\d))"
   "(?:[Tt ](?<hour>\\d\\d)(?::?(?<minute>\\d\\d)(?::?(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?)?"
   "(?:(?<zulu>[Zz])|(?<sign>[-+])(?<ohour>\\d\\d):?(?:(?<ominute>\\d\\d)(?::?(?<osecond>\\d\\d))?)?)?)?$"))

(define (iso8601->date text . zone)
  "The date of a text as ISO 8601 or RFC 3339 has it: a day, 2026-11-28, 20261128,
  2026-332 or 2026-W48-6, and perhaps a time, T09:46:30.5+01:00.  A text without an
  offset is of the zone, which is that of date-in-zone."
  (%check-string "iso8601->date" text)
  (let ((match (regexp-search (pregexp %iso-pattern) text)))
    (unless match
      (error "iso8601->date: expected a date like 2026-11-28T09:46:00Z, got" text))
    (let* ((part (lambda (name) (regexp-match-submatch match name)))
           (number (lambda (name default)
                     (let ((text (part name))) (if text (string->number text) default))))
           (offset (+ (* 3600 (number 'ohour 0)) (* 60 (number 'ominute 0))
                      (number 'osecond 0)))
           (where (cond ((part 'sign) => (lambda (sign)
                                           (if (string=? sign "-") (- offset) offset)))
                        ((part (quote zulu)) 0)
                        (else (%optional-zone "iso8601->date" zone))))
           (midnight? (eqv? 24 (number 'hour 0))))
      (when (and midnight? (not (= 0 (number 'minute 0) (number 'second 0))))
        (error "iso8601->date: the hour 24 begins no minute:" text))
      (receive (year month day) (%iso-day text part number)
        (let ((date (%date-in "iso8601->date" year month day
                              (if midnight? 0 (number 'hour 0))
                              (number 'minute 0) (number 'second 0)
                              (%fraction-nanoseconds (part 'fraction)) where 0)))
          (if midnight? (add-days date 1) date))))))

(define (%fraction-nanoseconds digits)
  "Of the digits after a point, or #f; those after the ninth are dropped."
  (if digits
      (string->number (substring (string-append digits "000000000") 0 9))
      0))

(define (%iso-day text part number)
  "Three values: the year, the month and the day of a matched text."
  (let ((year (number 'year 0)))
    (cond ((part 'week)
           (let ((days (+ (* 7 (- (number 'week 1) 1)) (- (number 'weekday 1) 1)))
                 (first (%day-number year 1 4)))
             (receive (iso-year iso-week)
                 (%iso-week (+ (- first (modulo (- (%week-day first) 1) 7)) days))
               (unless (and (= iso-year year) (= iso-week (number 'week 1)))
                 (error "iso8601->date: the year does not have that week:" text)))
             (%day-parts (+ (- first (modulo (- (%week-day first) 1) 7)) days))))
          ((part 'yearday)
           (%check-between "iso8601->date" "day of the year" (number 'yearday 1) 1
                           (if (leap-year? year) 366 365))
           (%day-parts (+ (%day-number year 1 1) (- (number 'yearday 1) 1))))
          (else
           (values year
                   (or (number 'month #f) (number 'month2 #f) (number 'month3 1))
                   (or (number 'day #f) (number 'day2 #f) 1))))))
