;; SRFI 19, all its names.
(import (srfi 19))

;; Times.
(define t (make-time time-utc 500 1483228799))
(print (time? t) (time-type t) (time-nanosecond t) (time-second t))  ; => #t time-utc 500 1483228799
(define u (copy-time t))
(set-time-second! u 1) (set-time-nanosecond! u 2) (set-time-type! u time-duration)
(print u t)  ; => #<time type: time-duration nanosecond: 2 second: 1> #<time type: time-utc nanosecond: 500 second: 1483228799>
(print (map time-second (list (add-duration t u) (subtract-duration t u) (add-duration! t u)
                              (subtract-duration! t u))))
; => (1483228800 1483228798 1483228800 1483228798)
(define (d ns s) (make-time time-duration ns s))
(print (time-difference (d 1 5) (d 2 7)) (time-difference! (d 2 7) (d 1 5)))
; => #<time type: time-duration nanosecond: 999999999 second: -3> #<time type: time-duration nanosecond: 1 second: 2>
(print (time<? (d 1 5) (d 2 5)) (time<=? (d 1 5) (d 1 5)) (time=? (d 1 5) (d 1 5))
       (time>=? (d 1 5) (d 2 5)) (time>? (d 1 6) (d 2 5)))  ; => #t #t #t #f #t
(print (map time-type (map current-time (list time-utc time-tai time-monotonic time-process
                                              time-thread))))
; => (time-utc time-tai time-monotonic time-process time-thread)
(print (<= 1 (time-resolution) 1000000000) (exact-integer? (time-resolution time-process)))  ; => #t #t
(let* ((a (current-time time-monotonic)) (b (current-time time-monotonic)))
  (print (time<=? a b)
         (< -2 (- (time-second (current-time)) (time-second (time-monotonic->time-utc a))) 2)))  ; => #t #t

;; Leap seconds.
(define (tai second) (make-time time-tai 0 second))
(print (time-second (time-utc->time-tai t))
       (time-second (time-utc->time-tai (make-time time-utc 0 1483228800)))
       (time-second (time-tai->time-utc (tai 1483228836)))
       (time-second (time-tai->time-utc (tai 1483228837))))
; => 1483228835 1483228837 1483228800 1483228800
(define (seconds-of t) (cons (date-minute t) (date-second t)))
(print (map (lambda (s) (seconds-of (time-tai->date (tai s) 0))) '(1483228835 1483228836 1483228837)))
; => ((59 . 59) (59 . 60) (0 . 0))
(define leap (make-date 0 60 59 23 31 12 2016 0))
(print (time-second (date->time-tai leap)) (time-second (date->time-utc leap))
       (time-second (date->time-monotonic leap))
       (date-second (time-monotonic->date (date->time-monotonic leap) 3600)))
; => 1483228836 1483228800 1483228836 60
(print (map time-second
            (list (time-utc->time-monotonic t) (time-monotonic->time-tai (time-utc->time-monotonic t))
                  (time-tai->time-monotonic (tai 5)) (time-utc->time-tai! (copy-time t))
                  (time-utc->time-monotonic! (copy-time t)) (time-tai->time-utc! (tai 5))
                  (time-tai->time-monotonic! (tai 5))
                  (time-monotonic->time-utc! (time-utc->time-monotonic t))
                  (time-monotonic->time-tai! (time-utc->time-monotonic t)))))
; => (1483228835 1483228835 5 1483228835 1483228835 5 5 1483228799 1483228835)

;; Dates.
(define date (make-date 123456789 9 8 7 6 5 2004 -14400))
(print (date? date)
       (map (lambda (part) (part date))
            (list date-nanosecond date-second date-minute date-hour date-day date-month date-year
                  date-zone-offset date-year-day date-week-day)))
; => #t (123456789 9 8 7 6 5 2004 -14400 127 4)
(define (day y m d) (make-date 0 0 0 0 d m y 0))
(print (map (lambda (d) (list (date-week-number d 0) (date-week-number d 1)))
            (list (day 2000 1 1) (day 2000 1 2) (day 2000 1 3) (day 2000 12 31))))
; => ((0 0) (1 0) (1 1) (53 52))
(print (date? (current-date)) (date-zone-offset (current-date 3600)))  ; => #t 3600
(print (date->julian-day (day 1970 1 1)) (date->modified-julian-day (day 1858 11 17))
       (date->julian-day (make-date 0 0 0 12 24 11 -4713 0)))  ; => 4881175/2 0 0
(print (map (lambda (f) (date->string (f 53000 0) "~4"))
            (list modified-julian-day->date julian-day->date)))
; => (2003-12-27T00:00:00Z -4567-01-03T12:00:00Z)
(print (map (lambda (f) (time-second (f 2451545)))
            (list julian-day->time-utc julian-day->time-tai julian-day->time-monotonic)))
; => (946728000 946728032 946728032)
(print (map (lambda (f) (time-second (f 51544)))
            (list modified-julian-day->time-utc modified-julian-day->time-tai
                  modified-julian-day->time-monotonic)))
; => (946684800 946684832 946684832)
(print (map (lambda (f) (f (make-time time-utc 0 946728000)))
            (list time-utc->julian-day time-utc->modified-julian-day)))  ; => (2451545 103089/2)
(print (map (lambda (f) (f (tai 946728032))) (list time-tai->julian-day time-tai->modified-julian-day)))
; => (2451545 103089/2)
(print (map (lambda (f) (f (time-tai->time-monotonic (tai 946728032))))
            (list time-monotonic->julian-day time-monotonic->modified-julian-day)))
; => (2451545 103089/2)
(print (< 2461000 (current-julian-day)) (< 61000 (current-modified-julian-day)))  ; => #t #t
(print (date->string (time-utc->date (date->time-utc date) 7200) "~4"))  ; => 2004-05-06T13:08:09+0200

;; Text.
(print (date->string date "~~ ~a ~A ~b ~B ~h ~d ~e ~f ~H ~I ~j ~k ~l ~m ~M ~N ~p ~s ~S ~w ~y ~Y ~z ~Z"))
; => ~ Thu Thursday May May May 06  6 09.123456789 07 07 127  7  7 05 08 123456789 AM 1083841689 09 4 04 2004 -0400 -0400
(print (date->string date) (date->string date "~c|~D|~r|~T|~x|~X|~1|~2|~3|~4|~5|~U ~V ~W"))
; => Thu May 06 07:08:09-0400 2004 Thu May 06 07:08:09-0400 2004|05/06/04|07:08:09 AM|07:08:09|05/06/04|07:08:09|2004-05-06|07:08:09-0400|07:08:09|2004-05-06T07:08:09-0400|2004-05-06T07:08:09|18 19 18
(write (date->string date "~n~t")) (newline)  ; => "\n\t"
(print (date->string (make-date 0 0 0 0 1 1 -5 0) "~Y ~z"))  ; => -0005 Z
(define (reread text template) (date->string (string->date text template) "~4 ~N"))
(print (reread "Thu May  6 07:08:09-0400 2004" "~a ~b ~e ~H:~M:~S~z ~Y"))  ; => 2004-05-06T07:08:09-0400 000000000
(print (reread "Thursday, 6. may 2004, 9:08:07 PM Z" "~A, ~d. ~B ~Y, ~I:~M:~S ~p ~z"))  ; => 2004-05-06T21:08:07Z 000000000
(print (reread "12:59:60.25 am +05:30 2016/366" "~I:~M:~f ~p ~z ~Y/~j"))  ; => 2016-12-31T00:59:60+0530 250000000
(print (reread "2004-05-06T07:08:09+01" "~4") (reread "1083841689Z ~" "~s~z ~~"))
; => 2004-05-06T07:08:09+0100 000000000 2004-05-06T11:08:09Z 000000000
(print (date-year (string->date "31.12.99" "~d.~m.~y")))  ; => 1999
(define (complaint thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (complaint (lambda () (string->date "2004-05" "~Y-~m"))))
; => string->date: the template "~Y-~m" does not tell a year, a month and a day:
(print (complaint (lambda () (string->date "2004-05-06x" "~1"))))
; => string->date: the text does not fit the template "~1" at index 10:
(print (complaint (lambda () (string->date "" "~1"))))
; => string->date: the text does not fit the template "~1" at index 0:
(print (complaint (lambda () (string->date "2" "~V"))))  ; => string->date: ~V can be written, but not read:
(print (complaint (lambda () (date->string date "abc~"))))  ; => date->string: the template ends after ~:
(print (complaint (lambda () (date->string date "~Q"))))  ; => date->string: unknown directive ~Q in
(print (complaint (lambda () (time<? t (tai 5)))))  ; => time<?: expected a time of the type time-utc, got #<time type: time-tai nanosecond: 0 second: 5>
(print (complaint (lambda () (make-time 'utc 0 0))))
; => make-time: expected time-utc, time-tai, time-monotonic, time-duration, time-process or time-thread, got utc
(print (complaint (lambda () (make-date 0 0 0 0 29 2 1900 0))))  ; => make-date: expected an integer from 1 to 28 for the day, got 29
