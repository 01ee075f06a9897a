;; timespecs.lisp - moments to the nanosecond: SRFI 174.

(define-record-type <timespec>
  (%new-timespec seconds nanoseconds)
  timespec?
  (seconds timespec-seconds)           ; whole ones
  (nanoseconds timespec-nanoseconds))  ; after these

(define (timespec seconds nanoseconds)
  "The moment that many seconds and nanoseconds after the beginning of 1970."
  (unless (exact-integer? seconds) (wrong-type "timespec" "an exact integer" seconds))
  (unless (and (exact-integer? nanoseconds) (<= 0 nanoseconds 999999999))
    (wrong-type "timespec" "an integer from 0 to 999999999" nanoseconds))
  (%new-timespec seconds nanoseconds))

(define (%pair->timespec time)
  "The timespec of what the system tells."
  (timespec (car time) (cdr time)))

(define (%nanoseconds who time)
  "All of a timespec in nanoseconds."
  (unless (timespec? time) (wrong-type who "a timespec" time))
  (+ (* (timespec-seconds time) 1000000000) (timespec-nanoseconds time)))

(define (timespec->inexact time)
  "The seconds of a timespec, as a real number."
  (/ (%nanoseconds "timespec->inexact" time) 1e9))

(define (inexact->timespec seconds)
  "The timespec of a real number of seconds."
  (unless (and (real? seconds) (finite? seconds))
    (wrong-type "inexact->timespec" "a finite real number" seconds))
  (let ((all (exact (round (* (exact seconds) 1000000000)))))
    (timespec (floor-quotient all 1000000000) (floor-remainder all 1000000000))))

(define (timespec=? a b)
  "Whether two timespecs are the same moment."
  (= (%nanoseconds "timespec=?" a) (%nanoseconds "timespec=?" b)))

(define (timespec<? a b)
  "Whether a timespec is before another one."
  (< (%nanoseconds "timespec<?" a) (%nanoseconds "timespec<?" b)))

(define (timespec-hash time)
  "A non-negative integer that is the same for equal timespecs."
  (modulo (%nanoseconds "timespec-hash" time) 1000000007))
