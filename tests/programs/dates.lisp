;; Dates of everyday work, ISO 8601, and time zones.
(define (at y m d h) (local-date y m d :hour h :zone "Europe/Berlin"))
(define noon (at 2026 11 28 12))
(define show date->iso8601)
(print (show noon) (show (date-in-zone noon "America/New_York")) (show (date-in-zone noon 0)))
; => 2026-11-28T12:00:00+01:00 2026-11-28T06:00:00-05:00 2026-11-28T11:00:00Z
(print (date-zone-name noon) (date-zone-name (at 2026 7 1 0)) (date-zone-name (local-date 2026 1 1 :zone -5400)))
; => CET CEST -0130
;; The calendar and the clock.
(define before (at 2026 3 28 12))
(print (show (add-days before 1)) (show (add-hours before 24)))
; => 2026-03-29T12:00:00+02:00 2026-03-29T13:00:00+02:00
(print (map show (list (add-months (at 2026 1 31 0) 1) (add-years (at 2024 2 29 0) 1)
                       (add-weeks noon -48) (add-minutes noon 1/2) (add-seconds noon 0.5))))
; => (2026-02-28T00:00:00+01:00 2025-02-28T00:00:00+01:00 2025-12-27T12:00:00+01:00 2026-11-28T12:00:30+01:00 2026-11-28T12:00:00.5+01:00)
(print (days-between before noon) (seconds-between before (add-days before 1)) (show (start-of-day noon)))
; => 245 82800 2026-11-28T00:00:00+01:00
(print (date=? noon (date-in-zone noon "Asia/Kathmandu")) (date<? before noon) (date>? before noon)
       (date<=? noon noon) (date>=? before noon))  ; => #t #t #f #t #f
(print (leap-year? 2000) (leap-year? 1900) (days-in-month 2024 2)
       (call-with-values (lambda () (date-iso-week (at 2027 1 1 0))) list))  ; => #t #f 29 (2026 53)
;; A time that comes twice, and one that is skipped.
(define (offset d h fold) (zone-offset "Europe/Berlin" (local-date 2026 10 d :hour h :minute 30 :fold fold :zone "Europe/Berlin")))
(print (offset 25 2 0) (offset 25 2 1) (offset 24 2 1))  ; => 7200 3600 7200
(print (map (lambda (fold) (show (local-date 2026 3 29 :hour 2 :minute 30 :fold fold :zone "Europe/Berlin"))) '(0 1)))
; => (2026-03-29T02:30:00+01:00 2026-03-29T02:30:00+02:00)
;; ISO 8601 and RFC 3339.
(print (map (lambda (text) (show (iso8601->date text "Asia/Tokyo")))
            '("2026-11-28" "20261128T094600Z" "2026-11-28t09:46:00.25z" "2026-11-28 09:46-03:30"
              "2026-W48-6" "2026W01" "2026-332T24:00:00+00" "2026-11" "-0001-01-01" "+12026-01-01T00Z"
              "2026-11-28T23:59:60,5Z")))
; => (2026-11-28T00:00:00+09:00 2026-11-28T09:46:00Z 2026-11-28T09:46:00.25Z 2026-11-28T09:46:00-03:30 2026-11-28T00:00:00+09:00 2025-12-29T00:00:00+09:00 2026-11-29T00:00:00Z 2026-11-01T00:00:00+09:00 -0001-01-01T00:00:00+09:18:59 12026-01-01T00:00:00Z 2026-11-28T23:59:60.5Z)
(define (fails text) (guard (e (#t (error-object-message e))) (show (iso8601->date text 0))))
(print (map fails '("" "2026-1-1" "2026-11-28T" "2026-11-28x" "26-11-28")))
; => (iso8601->date: expected a date like 2026-11-28T09:46:00Z, got iso8601->date: expected a date like 2026-11-28T09:46:00Z, got iso8601->date: expected a date like 2026-11-28T09:46:00Z, got iso8601->date: expected a date like 2026-11-28T09:46:00Z, got iso8601->date: expected a date like 2026-11-28T09:46:00Z, got)
(print (fails "2026-02-29") (fails "2025-366") (fails "2026-11-28T25:00Z"))
; => iso8601->date: expected an integer from 1 to 28 for the day, got 29 iso8601->date: expected an integer from 1 to 365 for the day of the year, got 366 iso8601->date: expected an integer from 0 to 23 for the hour, got 25
(print (fails "2025-W53") (fails "2026-11-28T24:01Z"))
; => iso8601->date: the year does not have that week: iso8601->date: the hour 24 begins no minute:
;; Seconds and durations.
(print (show (seconds->date 1e9 0)) (date->seconds (seconds->date -3/2 0)) (show (timespec->date (timespec -1 500000000) 0)))
; => 2001-09-09T01:46:40Z -3/2 1969-12-31T23:59:59.5Z
(print (duration->seconds (seconds->duration -1.25)) (duration->seconds (time-difference (date->time-utc noon) (date->time-utc before))))
; => -5/4 21168000
;; The zone of this machine.
(setenv "TZ" "NZST-12NZDT,M9.5.0,M4.1.0/3")
(print (show (local-date 2026 1 1)) (show (local-date 2026 7 1)) (date-zone-name (local-date 2026 1 1)))
; => 2026-01-01T00:00:00+13:00 2026-07-01T00:00:00+12:00 NZDT
(setenv "TZ" ":Africa/Lagos")
(print (date-zone-offset (current-date)) (zone-name (local-zone)))  ; => 3600 Africa/Lagos
(setenv "TZ" "")
(print (show (local-date 2026 7 1)) (zone? (local-zone)))  ; => 2026-07-01T00:00:00Z #t
(setenv "TZ" "<-03>3<-02>,J60/0,300/-24:30:15")
(print (map (lambda (m) (show (local-date 2024 m 1 :hour 1))) '(2 3 11 12)))
; => (2024-02-01T01:00:00-03:00 2024-03-01T01:00:00-02:00 2024-11-01T01:00:00-03:00 2024-12-01T01:00:00-03:00)
(print (map (lambda (text) (zone? (guard (e (#t #f)) (zone text))))
            '("UTC" "EST5EDT" "EST5EDT,0/0,J365/25" "AB1" "ABC25" "ABC1DEF,M13.1.0,M1.1.0" "../passwd" "")))
; => (#t #t #t #f #f #f #f #f)
(print (length (filter (lambda (name) (member name '("Europe/Berlin" "UTC"))) (zone-names))))  ; => 2

;; Damaged files of zones.
(define (try-zone bytes)
  (call-with-temporary-folder
   (lambda (folder)
     (let ((port (open-binary-output-file (path-join folder "Odd"))))
       (write-bytevector bytes port)
       (close-port port))
     (setenv "TZDIR" folder)
     (let ((result (guard (e (#t (string-replace (error-object-message e) folder "")))
                     (zone-offset "Odd" (make-date 0 0 0 0 1 1 2026 0)))))
       (setenv "TZDIR" #f)
       result))))
(define (text . parts) (apply bytevector-append (map (lambda (p) (if (string? p) (string->utf8 p) p)) parts)))
(define (head version times types names)
  (text "TZif" version (make-bytevector 15 0) (make-bytevector 12 0)
        (apply bytevector (append-map (lambda (n) (list 0 0 0 n)) (list times types names)))))
(define utc (text (bytevector 0 0 14 16 0 0) "ABC" #u8(0)))
(define (newer footer) (text (head "2" 0 1 4) utc (head "2" 0 1 4) utc footer))
(print (try-zone (text (head #u8(0) 0 1 4) utc)) (try-zone (newer "\n\n")) (try-zone (newer "\nXYZ-2\n")))
; => 3600 3600 7200
(for-each (lambda (bytes) (print (try-zone bytes)))
  (list #u8() (text "TZif") (text (make-bytevector 60 1)) (head #u8(0) 0 1 4) (head #u8(0) 0 0 0)
        (text (head "2" 0 1 4) utc) (newer "") (newer "\nUTC0") (newer "\nfoo\n") (newer "\n\xe9;\n")
        (text (head #u8(0) 1 1 4) #u8(0 0 0 0 7) utc)
        (text (head #u8(0) 2 1 4) #u8(0 0 0 5 0 0 0 5 0 0) utc)
        (text (head #u8(0) 0 1 4) #u8(0 0 0 0 0 9) "ABC" #u8(0))
        (text (head #u8(0) 0 1 4) #u8(0 0 0 0 0 0) "ABCD")
        (text (head #u8(0) 0 1 4) #u8(127 0 0 0 0 0) "ABC" #u8(0))
        (make-bytevector 2000000 7)))
; => zone: /Odd is not a file of a time zone: it ends in a head
; => zone: /Odd is not a file of a time zone: it ends in a head
; => zone: /Odd is not a file of a time zone: it does not begin with TZif
; => zone: /Odd is not a file of a time zone: it is shorter than its head says
; => zone: /Odd is not a file of a time zone: it has no time types
; => zone: /Odd is not a file of a time zone: it ends in a head
; => zone: /Odd is not a file of a time zone: it has no last line
; => zone: /Odd is not a file of a time zone: its last line does not end
; => zone: /Odd is not a file of a time zone: its last line is foo
; => zone: /Odd is not a file of a time zone: it has bytes that are no text
; => zone: /Odd is not a file of a time zone: it names a missing time type
; => zone: /Odd is not a file of a time zone: its times are not in order
; => zone: /Odd is not a file of a time zone: it names a missing abbreviation
; => zone: /Odd is not a file of a time zone: an abbreviation does not end
; => zone: /Odd is not a file of a time zone: an offset is too large
; => zone: /Odd is not a file of a time zone: it is too large
