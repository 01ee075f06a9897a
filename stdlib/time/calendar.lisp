;; calendar.lisp - days and dates of the Gregorian calendar, in all years.
;;
;; Years are those of ISO 8601: 0 is the year before 1.  A day is counted from
;; the first of January 1970.

(define (%check-whole who what x)
  "Raise an error unless x is an exact integer."
  (unless (exact-integer? x)
    (wrong-type who (string "an exact integer for the " what) x)))

(define (%check-between who what x low high)
  "Raise an error unless x is an exact integer from low to high."
  (unless (and (exact-integer? x) (<= low x high))
    (wrong-type who (string "an integer from " low " to " high " for the " what) x)))

(define (leap-year? year)
  "Whether a year has 366 days."
  (%check-whole "leap-year?" "year" year)
  (and (= 0 (modulo year 4))
       (or (not (= 0 (modulo year 100))) (= 0 (modulo year 400)))))

(define %month-lengths '#(31 28 31 30 31 30 31 31 30 31 30 31))

(define (days-in-month year month)
  "How many days a month has, from 1 to 12: (days-in-month 2024 2) is 29."
  (%check-whole "days-in-month" "year" year)
  (%check-between "days-in-month" "month" month 1 12)
  (if (and (= month 2) (leap-year? year))
      29
      (vector-ref %month-lengths (- month 1))))

;; The year begins in March here, so that the leap day is its last one.

(define (%day-number year month day)
  "The number of a day since the first of January 1970."
  (let* ((y (if (<= month 2) (- year 1) year))
         (m (modulo (+ month 9) 12))
         (in-year (+ (floor-quotient (+ (* 153 m) 2) 5) (- day 1))))
    (+ (* 365 y) (floor-quotient y 4) (- (floor-quotient y 100))
       (floor-quotient y 400) in-year -719468)))

(define (%day-parts number)
  "Three values: the year, the month and the day of a day's number."
  (let* ((z (+ number 719468))
         (era (floor-quotient z 146097))
         (d (- z (* era 146097)))
         (y (floor-quotient (- d (floor-quotient d 1460) (- (floor-quotient d 36524))
                               (floor-quotient d 146096))
                            365))
         (in-year (- d (+ (* 365 y) (floor-quotient y 4) (- (floor-quotient y 100)))))
         (m (floor-quotient (+ (* 5 in-year) 2) 153))
         (day (+ 1 (- in-year (floor-quotient (+ (* 153 m) 2) 5))))
         (month (if (< m 10) (+ m 3) (- m 9))))
    (values (+ y (* 400 era) (if (<= month 2) 1 0)) month day)))

(define (%week-day number)
  "The day of the week of a day's number: 0 is Sunday."
  (modulo (+ number 4) 7))

(define (%year-day year month day)
  "The number of a day within its year, from 1."
  (+ 1 (- (%day-number year month day) (%day-number year 1 1))))

(define (%iso-week number)
  "Two values of a day's number: the year and the week of ISO 8601.  Weeks begin
  on Monday, and belong to the year of their Thursday."
  (let ((thursday (+ number (- 4 (modulo (- (%week-day number) 1) 7) 1))))
    (receive (year month day) (%day-parts thursday)
      (values year
              (+ 1 (quotient (- thursday (%day-number year 1 1)) 7))))))

(define %day-names
  '#("Sunday" "Monday" "Tuesday" "Wednesday" "Thursday" "Friday" "Saturday"))

(define %month-names
  '#("January" "February" "March" "April" "May" "June" "July" "August"
     "September" "October" "November" "December"))
