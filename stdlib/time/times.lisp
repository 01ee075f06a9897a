;; times.lisp - the times and durations of SRFI 19.
;;
;; A time of the types time-utc, time-tai and time-monotonic is a moment, counted
;; from the beginning of 1970; a time-duration lies between two moments;
;; time-process and time-thread are times that a processor has worked.  The
;; nanoseconds are from 0 to 999999999, also of a negative duration.

(define time-utc 'time-utc)
(define time-tai 'time-tai)
(define time-monotonic 'time-monotonic)
(define time-duration 'time-duration)
(define time-process 'time-process)
(define time-thread 'time-thread)

(define %time-types
  '(time-utc time-tai time-monotonic time-duration time-process time-thread))

(define-record-type <time>
  (%new-time type nanosecond second)
  time?
  (type time-type set-time-type!)
  (nanosecond time-nanosecond set-time-nanosecond!)
  (second time-second set-time-second!))

(define %billion 1000000000)

(define (make-time type nanosecond second)
  "A time of a type: time-utc, time-tai, time-monotonic, time-duration,
  time-process or time-thread.  Source: SRFI 19."
  (unless (memq type %time-types)
    (wrong-type "make-time"
                "time-utc, time-tai, time-monotonic, time-duration, time-process or time-thread"
                type))
  (%check-between "make-time" "nanosecond" nanosecond 0 999999999)
  (%check-whole "make-time" "second" second)
  (%new-time type nanosecond second))

(define (copy-time time)
  "A new time that is equal to a time."
  (%check-time "copy-time" time)
  (%new-time (time-type time) (time-nanosecond time) (time-second time)))

(define (%check-time who x)
  "Raise an error unless x is a time."
  (unless (time? x) (wrong-type who "a time" x)))

(define (%check-time-type who x type)
  "Raise an error unless x is a time of a type."
  (unless (and (time? x) (eq? (time-type x) type))
    (wrong-type who (string "a time of the type " type) x)))

(define (%all-nanoseconds time)
  "A time in nanoseconds."
  (+ (* (time-second time) %billion) (time-nanosecond time)))

(define (%time-of type nanoseconds)
  "The time of a number of nanoseconds."
  (%new-time type
             (floor-remainder nanoseconds %billion)
             (floor-quotient nanoseconds %billion)))

;; Leap seconds: the second of UTC since which TAI is that far ahead, the latest
;; first.  Source: the Bulletins C of the IERS.

(define %leap-seconds
  '((1483228800 . 37) (1435708800 . 36) (1341100800 . 35) (1230768000 . 34)
    (1136073600 . 33) (915148800 . 32) (867715200 . 31) (820454400 . 30)
    (773020800 . 29) (741484800 . 28) (709948800 . 27) (662688000 . 26)
    (631152000 . 25) (567993600 . 24) (489024000 . 23) (425865600 . 22)
    (394329600 . 21) (362793600 . 20) (315532800 . 19) (283996800 . 18)
    (252460800 . 17) (220924800 . 16) (189302400 . 15) (157766400 . 14)
    (126230400 . 13) (94694400 . 12) (78796800 . 11) (63072000 . 10)))

(define (%leap-entry seconds offset)
  "The entry of the table that holds at a second; offset says from which number of
  an entry's own on."
  (find (lambda (entry) (>= seconds (+ (car entry) (offset entry)))) %leap-seconds))

(define (%utc->tai seconds)
  "Seconds of UTC in TAI.  Before 1972 both are the same."
  (let ((entry (%leap-entry seconds (lambda (entry) 0))))
    (if entry (+ seconds (cdr entry)) seconds)))

(define (%tai->utc seconds)
  "Seconds of TAI in UTC.  A leap second is the one that follows it."
  (let ((entry (%leap-entry seconds (lambda (entry) (- (cdr entry) 1)))))
    (cond ((not entry) seconds)
          ((%leap-second? seconds) (car entry))
          (else (- seconds (cdr entry))))))

(define (%leap-second? seconds)
  "Whether a second of TAI is a leap second, the 61st of its minute."
  (any (lambda (entry)
         (and (not (= (car entry) 63072000))
              (= seconds (+ (car entry) (cdr entry) -1))))
       %leap-seconds))

;; Clocks.

(define %monotonic-origin #f)   ; nanoseconds of TAI when the clock was 0

(define (%clock-time name)
  "What a clock of the system shows, in nanoseconds."
  (%process-call 'clock "current-time" "read" #f name #f))

(define (%monotonic-nanoseconds)
  "The clock that nobody sets, so that it agrees with TAI when it is read first."
  (let ((reading (%clock-time 1)))
    (unless %monotonic-origin
      (set! %monotonic-origin
            (- (%all-nanoseconds (time-utc->time-tai (current-time))) reading)))
    (+ %monotonic-origin reading)))

(define (current-time . type)
  "The time now: of the type time-utc, or time-tai, time-monotonic, which no change
  of the clock moves, time-process, the processor time of this process, or
  time-thread."
  (let ((type (%optional "current-time" 0 type time-utc)))
    (case type
      ((time-utc) (%time-of type (%clock-time 0)))
      ((time-tai) (time-utc->time-tai (current-time)))
      ((time-monotonic) (%time-of type (%monotonic-nanoseconds)))
      ((time-process) (%time-of type (%clock-time 2)))
      ((time-thread) (%time-of type (%clock-time 3)))
      (else
       (wrong-type "current-time"
                   "time-utc, time-tai, time-monotonic, time-process or time-thread"
                   type)))))

(define (time-resolution . type)
  "How fine the clock of a type is, in nanoseconds."
  (let ((type (%optional "time-resolution" 0 type time-utc)))
    (%process-call 'clock "time-resolution" "read" #f
                   (case type
                     ((time-utc time-tai) 0)
                     ((time-monotonic) 1)
                     ((time-process) 2)
                     ((time-thread) 3)
                     (else (wrong-type "time-resolution" "the type of a clock" type)))
                   #t)))

;; Comparisons.

(define (%compare-times who before? a b)
  "Compare two times of one type."
  (%check-time who a)
  (%check-time-type who b (time-type a))
  (before? (%all-nanoseconds a) (%all-nanoseconds b)))

(define (time<? a b)
  "Whether a time is before another one of its type."
  (%compare-times "time<?" < a b))
(define (time<=? a b)
  "Whether a time is not after another one of its type."
  (%compare-times "time<=?" <= a b))
(define (time=? a b)
  "Whether two times of one type are equal."
  (%compare-times "time=?" = a b))
(define (time>=? a b)
  "Whether a time is not before another one of its type."
  (%compare-times "time>=?" >= a b))
(define (time>? a b)
  "Whether a time is after another one of its type."
  (%compare-times "time>?" > a b))

;; Durations.

(define (time-difference a b)
  "The duration from b to a, two times of one type."
  (%check-time "time-difference" a)
  (%check-time-type "time-difference" b (time-type a))
  (%time-of time-duration (- (%all-nanoseconds a) (%all-nanoseconds b))))

(define (%moved who time duration sign)
  "The time that is a duration after or before a time."
  (%check-time who time)
  (%check-time-type who duration time-duration)
  (%time-of (time-type time)
            (+ (%all-nanoseconds time) (* sign (%all-nanoseconds duration)))))

(define (add-duration time duration)
  "The time that is a duration after a time."
  (%moved "add-duration" time duration 1))

(define (subtract-duration time duration)
  "The time that is a duration before a time."
  (%moved "subtract-duration" time duration -1))

(define (time-difference! a b) "The same as time-difference." (time-difference a b))
(define (add-duration! time duration)
  "The same as add-duration."
  (add-duration time duration))
(define (subtract-duration! time duration)
  "The same as subtract-duration."
  (subtract-duration time duration))

(define (seconds->duration seconds)
  "The duration of a real number of seconds."
  (unless (and (real? seconds) (finite? seconds))
    (wrong-type "seconds->duration" "a finite real number" seconds))
  (%time-of time-duration (exact (round (* (exact seconds) %billion)))))

(define (duration->seconds duration)
  "The exact number of seconds of a duration."
  (%check-time-type "duration->seconds" duration time-duration)
  (/ (%all-nanoseconds duration) %billion))

;; From type to type.

(define (%retyped who time from to convert)
  "A time in another type."
  (%check-time-type who time from)
  (%new-time to (time-nanosecond time) (convert (time-second time))))

(define (time-utc->time-tai time)
  "A time of UTC in TAI, which has no leap seconds."
  (%retyped "time-utc->time-tai" time time-utc time-tai %utc->tai))
(define (time-tai->time-utc time)
  "A time of TAI in UTC.  A leap second is the second that follows it."
  (%retyped "time-tai->time-utc" time time-tai time-utc %tai->utc))
(define (time-utc->time-monotonic time)
  "A time of UTC on the monotonic clock."
  (%retyped "time-utc->time-monotonic" time time-utc time-monotonic %utc->tai))
(define (time-monotonic->time-utc time)
  "A time of the monotonic clock in UTC."
  (%retyped "time-monotonic->time-utc" time time-monotonic time-utc %tai->utc))
(define (time-tai->time-monotonic time)
  "A time of TAI on the monotonic clock."
  (%retyped "time-tai->time-monotonic" time time-tai time-monotonic identity))
(define (time-monotonic->time-tai time)
  "A time of the monotonic clock in TAI."
  (%retyped "time-monotonic->time-tai" time time-monotonic time-tai identity))

(define (time-utc->time-tai! time)
  "The same as time-utc->time-tai."
  (time-utc->time-tai time))
(define (time-tai->time-utc! time)
  "The same as time-tai->time-utc."
  (time-tai->time-utc time))
(define (time-utc->time-monotonic! time)
  "The same as time-utc->time-monotonic."
  (time-utc->time-monotonic time))
(define (time-monotonic->time-utc! time)
  "The same as time-monotonic->time-utc."
  (time-monotonic->time-utc time))
(define (time-tai->time-monotonic! time)
  "The same as time-tai->time-monotonic."
  (time-tai->time-monotonic time))
(define (time-monotonic->time-tai! time)
  "The same as time-monotonic->time-tai."
  (time-monotonic->time-tai time))
