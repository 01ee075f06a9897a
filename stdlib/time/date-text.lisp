;; date-text.lisp - dates as text: the directives of SRFI 19.

(define (%digits n width . fill)
  "A number in at least that many characters."
  (let ((fill (if (null? fill) #\0 (car fill))))
    (if (< n 0)
        (string-append "-" (%digits (- n) width fill))
        (let ((text (number->string n)))
          (if (< (string-length text) width) (string-pad-left text width fill) text)))))

(define (%offset-text offset between)
  "An offset as +0130, with a text between its hours and minutes."
  (let* ((size (abs offset))
         (seconds (remainder size 60)))
    (string-append (if (< offset 0) "-" "+") (%digits (quotient size 3600) 2) between
                   (%digits (remainder (quotient size 60) 60) 2)
                   (if (= seconds 0) "" (string-append between (%digits seconds 2))))))

(define (%half-hour date)
  "The hour on a clock of 12 hours."
  (+ 1 (modulo (- (date-hour date) 1) 12)))

(define (%fraction-text nanosecond)
  "The digits of a fraction of a second, as few as show it, after a point; an empty
  text for 0."
  (if (= nanosecond 0)
      ""
      (string-append "." (string-trim-right (%digits nanosecond 9) #\0))))

(define (date-zone-name date)
  "The abbreviation of a date's zone, such as CET; of a date that knows only an
  offset, that, such as +0100."
  (%check-date "date-zone-name" date)
  (if (%date-zone date)
      (%type-name (%zone-type-at (%date-zone date) (%date-utc-seconds date)))
      (%offset-text (date-zone-offset date) "")))

;; A directive is a text of others, or a procedure of a date.

(define %date-directives
  (list
   (cons #\~ (lambda (d) "~"))
   (cons #\a (lambda (d) (substring (vector-ref %day-names (date-week-day d)) 0 3)))
   (cons #\A (lambda (d) (vector-ref %day-names (date-week-day d))))
   (cons #\b (lambda (d) (substring (vector-ref %month-names (- (date-month d) 1)) 0 3)))
   (cons #\B (lambda (d) (vector-ref %month-names (- (date-month d) 1))))
   (cons #\c "~a ~b ~d ~H:~M:~S~z ~Y")
   (cons #\d (lambda (d) (%digits (date-day d) 2)))
   (cons #\D "~m/~d/~y")
   (cons #\e (lambda (d) (%digits (date-day d) 2 #\space)))
   (cons #\f (lambda (d) (string-append (%digits (date-second d) 2)
                                        (%fraction-text (date-nanosecond d)))))
   (cons #\h "~b")
   (cons #\H (lambda (d) (%digits (date-hour d) 2)))
   (cons #\I (lambda (d) (%digits (%half-hour d) 2)))
   (cons #\j (lambda (d) (%digits (date-year-day d) 3)))
   (cons #\k (lambda (d) (%digits (date-hour d) 2 #\space)))
   (cons #\l (lambda (d) (%digits (%half-hour d) 2 #\space)))
   (cons #\m (lambda (d) (%digits (date-month d) 2)))
   (cons #\M (lambda (d) (%digits (date-minute d) 2)))
   (cons #\n (lambda (d) "\n"))
   (cons #\N (lambda (d) (%digits (date-nanosecond d) 9)))
   (cons #\p (lambda (d) (if (< (date-hour d) 12) "AM" "PM")))
   (cons #\r "~I:~M:~S ~p")
   (cons #\s (lambda (d) (number->string (%date-utc-seconds d))))
   (cons #\S (lambda (d) (%digits (date-second d) 2)))
   (cons #\t (lambda (d) "\t"))
   (cons #\T "~H:~M:~S")
   (cons #\U (lambda (d) (%digits (date-week-number d 0) 2)))
   (cons #\V (lambda (d) (receive (year week) (date-iso-week d) (%digits week 2))))
   (cons #\w (lambda (d) (number->string (date-week-day d))))
   (cons #\W (lambda (d) (%digits (date-week-number d 1) 2)))
   (cons #\x "~m/~d/~y")
   (cons #\X "~H:~M:~S")
   (cons #\y (lambda (d) (%digits (modulo (date-year d) 100) 2)))
   (cons #\Y (lambda (d) (%digits (date-year d) 4)))
   (cons #\z (lambda (d) (if (= 0 (date-zone-offset d))
                             "Z"
                             (%offset-text (date-zone-offset d) ""))))
   (cons #\Z date-zone-name)
   (cons #\1 "~Y-~m-~d")
   (cons #\2 "~H:~M:~S~z")
   (cons #\3 "~H:~M:~S")
   (cons #\4 "~Y-~m-~dT~H:~M:~S~z")
   (cons #\5 "~Y-~m-~dT~H:~M:~S")))

(define (date->string date . template)
  "A date as text, by a template like \"~a, ~d ~B ~Y\": ~c if it is left out.

  ~Y ~y year, ~m ~B ~b month, ~d ~e day, ~j day of the year, ~A ~a ~w weekday, ~U ~W
  ~V week from Sunday, from Monday and of ISO 8601, ~H ~k ~I ~l hour, ~p AM or PM,
  ~M minute, ~S second, ~f with its fraction, ~N nanoseconds, ~s seconds since 1970,
  ~z offset, ~Z zone; ~D ~x ~m/~d/~y, ~T ~X ~3 time, ~r time of 12 hours, ~1 date,
  ~2 time, ~4 ~5 both of ISO 8601, with and without the offset; ~n ~t ~~ themselves.
  Names are English.  Source: SRFI 19."
  (%check-date "date->string" date)
  (let ((template (%optional "date->string" 1 template "~c")))
    (unless (string? template) (wrong-type "date->string" "a string" template))
    (call-with-output-string
      (lambda (port) (%write-date "date->string" date template port)))))

(define (%write-date who date template port)
  "Write a date by a template."
  (let ((end (string-length template)))
    (let loop ((k 0))
      (when (< k end)
        (let* ((c (string-ref template k))
               (next (if (char=? c #\~) (+ k 1) k)))
          (if (= next k)
              (write-char c port)
              (let ((directive (%date-directive who template next)))
                (if (string? directive)
                    (%write-date who date directive port)
                    (write-string (directive date) port))))
          (loop (+ next 1)))))))

(define (%date-directive who template k)
  "What the character at an index of a template means after a tilde."
  (when (= k (string-length template))
    (error (string who ": the template ends after ~:") template))
  (let ((entry (assv (string-ref template k) %date-directives)))
    (unless entry
      (%error-with-hint
       (string who ": unknown directive ~" (string (string-ref template k)) " in")
       (list template)
       (string "there are "
               (string-join (map (lambda (entry) (string #\~ (car entry))) %date-directives)
                            " "))))
    (cdr entry)))
