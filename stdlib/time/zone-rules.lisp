;; zone-rules.lisp - the rules of TZ and of the last line of a zone's file.
;;
;;     CET-1CEST,M3.5.0,M10.5.0/3  =>  from the last Sunday of March to that of
;;                                     October, summer time
;;
;; A rule is a vector: the type of the standard time, that of the summer time or
;; #f, and the parsed beginnings of the two.  Offsets count eastwards here, the
;; other way than in the text.  Source: POSIX, and RFC 8536, section 3.3.1.

(define (%zone-type offset summer? abbreviation)
  "What holds in a zone for some time."
  (vector offset summer? abbreviation))
(define (%type-offset type) "Seconds." (vector-ref type 0))
(define (%type-summer? type) "Whether it is summer time." (vector-ref type 1))
(define (%type-name type) "Such as CET." (vector-ref type 2))

(define %time-pattern "([+-]?)(\\d{1,3})(?::(\\d\\d))?(?::(\\d\\d))?")
(define %day-pattern "(?:M\\d{1,2}\\.\\d\\.\\d|J\\d{1,3}|\\d{1,3})(?:/[-+:0-9]+)?")

(define %zone-rule-pattern
  (string-append "^(?<standard>[A-Za-z]{3,}|<[-+A-Za-z0-9]{3,}>)(?<offset>[-+:0-9]+)"
                 "(?:(?<summer>[A-Za-z]{3,}|<[-+A-Za-z0-9]{3,}>)(?<ahead>[-+:0-9]+)?"
                 "(?:,(?<begin>" %day-pattern "),(?<end>" %day-pattern "))?)?$"))

(define (%parse-zone-rule text)
  "The rule of a text; #f if it is none."
  (let ((match (regexp-search (pregexp %zone-rule-pattern) text)))
    (and match
         (let* ((part (lambda (name) (regexp-match-submatch match name)))
                (offset (%rule-time (part 'offset) 24))
                (ahead (if (part 'ahead) (%rule-time (part 'ahead) 24)
                           (and offset (- offset 3600))))
                (begin-day (%rule-day (or (part 'begin) "M3.2.0")))
                (end-day (%rule-day (or (part 'end) "M11.1.0"))))
           (and offset ahead begin-day end-day
                (vector (%zone-type (- offset) #f (%plain-zone-name (part 'standard)))
                        (and (part 'summer)
                             (%zone-type (- ahead) #t
                                         (%plain-zone-name (part 'summer))))
                        begin-day end-day))))))

(define (%plain-zone-name text)
  "A name without its brackets."
  (string-trim text (lambda (c) (memv c '(#\< #\>)))))

(define (%rule-time text most-hours)
  "Seconds of a text like -3:30; #f if it is none."
  (let ((match (regexp-search (pregexp (string-append "^" %time-pattern "$")) text)))
    (and match
         (let* ((number (lambda (k) (string->number (or (regexp-match-submatch match k) "0"))))
                (seconds (+ (* 3600 (number 2)) (* 60 (number 3)) (number 4))))
           (and (<= (number 2) most-hours) (< (number 3) 60) (< (number 4) 60)
                (if (equal? (regexp-match-submatch match 1) "-") (- seconds) seconds))))))

(define (%rule-day text)
  "A list of a symbol, the numbers of the day, and the second within it; #f."
  (let* ((parts (string-split text "/"))
         (seconds (if (null? (cdr parts)) 7200 (%rule-time (cadr parts) 167)))
         (day (car parts))
         (numbers (map string->number
                       (string-split (string-trim-left day (lambda (c) (memv c '(#\M #\J))))
                                     "."))))
    (and seconds
         (case (string-ref day 0)
           ((#\M) (and (<= 1 (car numbers) 12) (<= 1 (cadr numbers) 5)
                       (<= 0 (caddr numbers) 6)
                       (list 'weekday numbers seconds)))
           ((#\J) (and (<= 1 (car numbers) 365) (list 'no-leap-day numbers seconds)))
           (else (and (<= 0 (car numbers) 365) (list 'any-day numbers seconds)))))))

(define (%rule-seconds day year)
  "When the day of a rule begins in a year, in local seconds."
  (+ (caddr day)
     (* 86400
        (let ((numbers (cadr day)))
          (case (car day)
            ((weekday) (apply %weekday-number year numbers))
            ((no-leap-day)
             (+ (%day-number year 1 1) (- (car numbers) 1)
                (if (and (leap-year? year) (>= (car numbers) 60)) 1 0)))
            (else (+ (%day-number year 1 1) (car numbers))))))))

(define (%weekday-number year month week week-day)
  "The number of a week day of a month, the last one for week 5."
  (let* ((first (%day-number year month 1))
         (day (+ 1 (modulo (- week-day (%week-day first)) 7) (* 7 (- week 1)))))
    (+ first -1 (if (> day (days-in-month year month)) (- day 7) day))))

(define (%rule-type rule seconds local? fold)
  "What holds by a rule at a second of UTC, or at a local one; where that comes
  twice, the first time if fold is 0."
  (let ((standard (vector-ref rule 0)) (summer (vector-ref rule 1)))
    (if (not summer)
        standard
        (let* ((base (%type-offset standard))
               (saved (%type-offset summer))
               (year (%local-year (if local? seconds (+ seconds base))))
               (shift (cond ((not local?) 0) ((= fold 0) (max base saved))
                            (else (min base saved))))
               (begins (+ (- (%rule-seconds (vector-ref rule 2) year) base) shift))
               (ends (+ (- (%rule-seconds (vector-ref rule 3) year) saved) shift)))
          (if (if (< begins ends)
                  (and (<= begins seconds) (< seconds ends))
                  (not (and (<= ends seconds) (< seconds begins))))
              summer
              standard)))))

(define (%local-year seconds)
  "The year of local seconds."
  (receive (year month day) (%day-parts (floor-quotient seconds 86400)) year))
