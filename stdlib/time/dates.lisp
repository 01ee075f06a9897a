;; dates.lisp - the dates of SRFI 19: a moment as a calendar and a clock show it.
;;
;; A date has an offset from UTC in seconds, east of Greenwich positive.  Those
;; that a zone made know it, so that arithmetic with days finds the right offset.

(define-record-type <date>
  (%new-date nanosecond second minute hour day month year zone-offset zone)
  date?
  (nanosecond date-nanosecond)
  (second date-second)             ; 60 is a leap second
  (minute date-minute)
  (hour date-hour)
  (day date-day)
  (month date-month)
  (year date-year)
  (zone-offset date-zone-offset)
  (zone %date-zone))               ; a zone, or #f

(define (make-date nanosecond second minute hour day month year zone-offset)
  "A date of SRFI 19.  second is 60 in a leap second; month and day begin with 1;
  year 0 is the year before 1; zone-offset is in seconds east of Greenwich."
  (%check-date-fields "make-date" nanosecond second minute hour day month year)
  (%check-zone-offset "make-date" zone-offset)
  (%new-date nanosecond second minute hour day month year zone-offset #f))

(define (%check-zone-offset who offset)
  "Raise an error unless it can be an offset: less than 26 hours, in seconds."
  (%check-between who "zone offset" offset -93599 93599))

(define (%check-date-fields who nanosecond second minute hour day month year)
  "Raise an error for what no calendar and no clock shows."
  (%check-between who "nanosecond" nanosecond 0 999999999)
  (%check-between who "second" second 0 60)
  (%check-between who "minute" minute 0 59)
  (%check-between who "hour" hour 0 23)
  (%check-whole who "year" year)
  (%check-between who "month" month 1 12)
  (%check-between who "day" day 1 (days-in-month year month)))

(define (%check-date who x)
  "Raise an error unless x is a date."
  (unless (date? x) (wrong-type who "a date" x)))

(define (%date-day-number date)
  "The number of a date's day."
  (%day-number (date-year date) (date-month date) (date-day date)))

(define (%date-local-seconds date)
  "The seconds that a date's calendar and clock show, as if they were those of UTC."
  (+ (* 86400 (%date-day-number date))
     (* 3600 (date-hour date)) (* 60 (date-minute date)) (date-second date)))

(define (%date-utc-seconds date)
  "The second of UTC; of a leap second, the one that follows."
  (- (%date-local-seconds date) (date-zone-offset date)))

(define (%date-nanoseconds who date)
  "The nanoseconds of a date since the beginning of 1970."
  (%check-date who date)
  (+ (* %billion (%date-utc-seconds date)) (date-nanosecond date)))

(define (%date-at seconds nanosecond offset zone)
  "The date of a second of UTC."
  (let* ((local (+ seconds offset))
         (day-number (floor-quotient local 86400))
         (in-day (floor-remainder local 86400)))
    (receive (year month day) (%day-parts day-number)
      (%new-date nanosecond (remainder in-day 60)
                 (remainder (quotient in-day 60) 60) (quotient in-day 3600)
                 day month year offset zone))))

(define (%date-there seconds nanosecond where)
  "The date of a second of UTC where the offset or the zone is that."
  (if (zone? where)
      (%date-at seconds nanosecond (%zone-offset-at where seconds) where)
      (%date-at seconds nanosecond where #f)))

(define (current-date . zone)
  "The date and the time of day now.  zone: a zone, its name, or an offset from UTC
  in seconds; left out, the zone of this machine (the variable TZ)."
  (time-utc->date (current-time)
                  (%zone-argument "current-date" (%optional "current-date" 0 zone #f))))

;; What follows from a date.

(define (date-year-day date)
  "The number of a date's day within its year, from 1."
  (%check-date "date-year-day" date)
  (%year-day (date-year date) (date-month date) (date-day date)))

(define (date-week-day date)
  "The day of the week: 0 is Sunday, 6 Saturday."
  (%check-date "date-week-day" date)
  (%week-day (%date-day-number date)))

(define (date-week-number date first-day)
  "The number of a date's week within its year, where weeks begin with the day
  first-day, 0 for Sunday.  Days before the first such day are in week 0."
  (%check-date "date-week-number" date)
  (%check-between "date-week-number" "first day of a week" first-day 0 6)
  (let ((since (modulo (- (date-week-day date) first-day) 7)))
    (quotient (+ (- (date-year-day date) 1 since) 7) 7)))

(define (date-iso-week date)
  "Two values: the year and the week of ISO 8601.  Weeks begin on Monday, and belong
  to the year of their Thursday."
  (%check-date "date-iso-week" date)
  (%iso-week (%date-day-number date)))

;; Dates and times.

(define (date->time-utc date)
  "The time of a date, of the type time-utc."
  (%time-of time-utc (%date-nanoseconds "date->time-utc" date)))

(define (%date->tai who date type)
  "The time of a date in a type without leap seconds."
  (let ((nanoseconds (%date-nanoseconds who date)))
    (%new-time type (date-nanosecond date)
               (let ((seconds (%utc->tai (floor-quotient nanoseconds %billion))))
                 (if (= (date-second date) 60) (- seconds 1) seconds)))))

(define (date->time-tai date)
  "The time of a date, of the type time-tai."
  (%date->tai "date->time-tai" date time-tai))
(define (date->time-monotonic date)
  "The time of a date, of the type time-monotonic."
  (%date->tai "date->time-monotonic" date time-monotonic))

(define (%optional-zone who zone)
  "The zone that an optional argument names."
  (%zone-argument who (%optional who 1 zone #f)))

(define (time-utc->date time . zone)
  "The date of a time of the type time-utc.  zone: a zone, its name, or an offset
  from UTC in seconds; left out, the zone of this machine."
  (%check-time-type "time-utc->date" time time-utc)
  (%date-there (time-second time) (time-nanosecond time)
               (%optional-zone "time-utc->date" zone)))

(define (%tai->date who time type zone)
  "The date of a time without leap seconds: they are the seconds 60."
  (%check-time-type who time type)
  (let* ((seconds (time-second time))
         (leap? (%leap-second? seconds))
         (date (%date-there (- (%tai->utc seconds) (if leap? 1 0))
                            (time-nanosecond time) (%optional-zone who zone))))
    (if leap?
        (%new-date (date-nanosecond date) 60 (date-minute date) (date-hour date)
                   (date-day date) (date-month date) (date-year date)
                   (date-zone-offset date) (%date-zone date))
        date)))

(define (time-tai->date time . zone)
  "The date of a time of the type time-tai; zone is that of time-utc->date."
  (%tai->date "time-tai->date" time time-tai zone))
(define (time-monotonic->date time . zone)
  "The date of a time of the type time-monotonic; zone is that of time-utc->date."
  (%tai->date "time-monotonic->date" time time-monotonic zone))

;; Julian days: days since noon of the first of January 4713 BC; modified ones
;; since midnight of the 17th of November 1858.

(define %julian-epoch 4881175/2)    ; when 1970 began
(define %modified-epoch 40587)

(define (%utc->days who time)
  "A time of the type time-utc in days since 1970, exactly."
  (%check-time-type who time time-utc)
  (/ (%all-nanoseconds time) (* 86400 %billion)))

(define (%days->utc who days)
  "The time of a number of days since 1970."
  (unless (and (real? days) (finite? days)) (wrong-type who "a finite real number" days))
  (%time-of time-utc (round (* (exact days) 86400 %billion))))

(define (time-utc->julian-day time)
  "The Julian day of a time of the type time-utc, exactly."
  (+ %julian-epoch (%utc->days "time-utc->julian-day" time)))
(define (time-utc->modified-julian-day time)
  "The modified Julian day of a time of the type time-utc, exactly."
  (+ %modified-epoch (%utc->days "time-utc->modified-julian-day" time)))
(define (time-tai->julian-day time)
  "The Julian day of a time of the type time-tai."
  (time-utc->julian-day (time-tai->time-utc time)))
(define (time-tai->modified-julian-day time)
  "The modified Julian day of a time of the type time-tai."
  (time-utc->modified-julian-day (time-tai->time-utc time)))
(define (time-monotonic->julian-day time)
  "The Julian day of a time of the type time-monotonic."
  (time-utc->julian-day (time-monotonic->time-utc time)))
(define (time-monotonic->modified-julian-day time)
  "The modified Julian day of a time of the type time-monotonic."
  (time-utc->modified-julian-day (time-monotonic->time-utc time)))

(define (date->julian-day date)
  "The Julian day of a date, exactly."
  (time-utc->julian-day (date->time-utc date)))
(define (date->modified-julian-day date)
  "The modified Julian day of a date, exactly."
  (time-utc->modified-julian-day (date->time-utc date)))
(define (current-julian-day)
  "The Julian day now."
  (time-utc->julian-day (current-time)))
(define (current-modified-julian-day)
  "The modified Julian day now."
  (time-utc->modified-julian-day (current-time)))

(define (%from-julian who day)
  "The time of a Julian day."
  (unless (real? day) (wrong-type who "a real number" day))
  (%days->utc who (- day %julian-epoch)))
(define (%from-modified who day)
  "The time of a modified Julian day."
  (unless (real? day) (wrong-type who "a real number" day))
  (%days->utc who (- day %modified-epoch)))

(define (julian-day->time-utc day)
  "The time of a Julian day, of the type time-utc, to the nanosecond."
  (%from-julian "julian-day->time-utc" day))
(define (julian-day->time-tai day)
  "The time of a Julian day, of the type time-tai."
  (time-utc->time-tai (%from-julian "julian-day->time-tai" day)))
(define (julian-day->time-monotonic day)
  "The time of a Julian day, of the type time-monotonic."
  (time-utc->time-monotonic (%from-julian "julian-day->time-monotonic" day)))
(define (julian-day->date day . zone)
  "The date of a Julian day; zone is that of time-utc->date."
  (apply time-utc->date (%from-julian "julian-day->date" day) zone))
(define (modified-julian-day->time-utc day)
  "The time of a modified Julian day, of the type time-utc, to the nanosecond."
  (%from-modified "modified-julian-day->time-utc" day))
(define (modified-julian-day->time-tai day)
  "The time of a modified Julian day, of the type time-tai."
  (time-utc->time-tai (%from-modified "modified-julian-day->time-tai" day)))
(define (modified-julian-day->time-monotonic day)
  "The time of a modified Julian day, of the type time-monotonic."
  (time-utc->time-monotonic (%from-modified "modified-julian-day->time-monotonic" day)))
(define (modified-julian-day->date day . zone)
  "The date of a modified Julian day; zone is that of time-utc->date."
  (apply time-utc->date (%from-modified "modified-julian-day->date" day) zone))
