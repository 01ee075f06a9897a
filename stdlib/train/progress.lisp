;; progress.lisp - how far a loop is: a bar on a terminal, a few lines in a
;; pipe.
;;
;;     (progress 45 100 "train" "loss 0.23")  draws
;;
;;     train  45% ━━━━━━━━╸          45/100  12 s, 15 s left, 3.7/s  loss 0.23
;;
;; on the current error port, so that the standard output stays the program's.
;; The primitive %show-status draws the line anew, and lets everything else
;; that the program prints push it down.  In a pipe or a file a line is printed
;; for each tenth.

(define-record-type %bar
  (%make-bar label total first start last tenths)
  %bar?
  (label %bar-label)
  (total %bar-total)
  (first %bar-first)    ; the step of the first call
  (start %bar-start)    ; its time, in nanoseconds
  (last %bar-last %set-bar-last!)
  (tenths %bar-tenths %set-bar-tenths!))   ; of the last line in a pipe

(define %bars '())             ; those that are not finished, the latest first
(define %most-bars 16)         ; an abandoned one is forgotten at last
(define %drawn-at 0)           ; when the status line was drawn, in nanoseconds
(define %drawing-pause 50000000)
(define %progress-message #f)  ; of progress-message, for do-progress

(define (progress i n label . message)
  "Show that i of n steps are done: (progress 45 100 \"train\" \"loss 0.23\").

  On a terminal a bar with the percentage, the time, the time left and the rate
  is drawn, at most 20 times a second; its line stays when i is n.  Elsewhere a
  line is printed for each tenth of n.  Both go to the current error port.

  Steps are counted from the first call with that label and n; a smaller i
  begins anew.  The message is any value; a procedure of no arguments is called
  for it only when something is shown, so (lambda () (tensor-item loss)) costs
  little."
  (%check-progress i n label message)
  (let ((bar (%bar-for label i n)))
    (%set-bar-last! bar i)
    (%advance-bar bar i n (if (pair? message) (car message) #f))
    (when (>= i n)
      (set! %bars (remove (lambda (other) (eq? other bar)) %bars)))))

(define (%check-progress i n label message)
  "Raise an error for wrong arguments of progress."
  (define (count? x) (and (exact-integer? x) (>= x 0)))
  (unless (count? i)
    (wrong-type "progress" "a non-negative exact integer" i))
  (unless (count? n)
    (wrong-type "progress" "a non-negative exact integer as the total" n))
  (unless (string? label)
    (wrong-type "progress" "a string as the label" label))
  (when (and (pair? message) (pair? (cdr message)))
    (error (string "progress: expected 3 or 4 arguments, got "
                   (+ 3 (length message))))))

(define (%bar-for label i n)
  "The bar that a call continues, or a new one."
  (let ((found (find (lambda (bar) (string=? (%bar-label bar) label)) %bars)))
    (if (and found (= (%bar-total found) n) (<= (%bar-last found) i))
        found
        (let ((bar (%make-bar label n i (current-jiffy) i
                              (min 9 (%tenths (max 0 (- i 1)) n))))
              (others (remove (lambda (bar) (eq? bar found)) %bars)))
          (set! %bars (cons bar (%at-most others (- %most-bars 1))))
          (set! %drawn-at 0)
          bar))))

(define (%at-most items n)
  "The first n items of a list, or all."
  (if (> (length items) n) (take items n) items))

(define (%advance-bar bar i n message)
  "Draw the bar, or print its line, if it is time."
  (let ((now (current-jiffy)))
    (when (or (>= i n) (>= (- now %drawn-at) %drawing-pause))
      (set! %drawn-at now)
      (let ((columns (%terminal-columns (current-error-port))))
        (when columns
          (%show-status (%bar-text bar i n now columns (%message-text message))
                        (>= i n)))))
    (when (%next-tenth? bar i n)
      (unless (%terminal-columns (current-error-port))
        (display (%bar-line bar i n now (%message-text message))
                 (current-error-port))))))

(define (%next-tenth? bar i n)
  "Whether the bar has reached the next tenth, which is noted."
  (let ((tenths (%tenths i n)))
    (and (> tenths (%bar-tenths bar))
         (begin (%set-bar-tenths! bar tenths) #t))))

(define (%tenths i n)
  "How many tenths of n are done."
  (cond ((>= i n) 10) (else (quotient (* 10 i) n))))

;; The text.

(define (%message-text message)
  "What a message says, on one line."
  (cond ((not message) "")
        ((procedure? message) (%message-text (message)))
        ((and (number? message) (inexact? message))
         (%short-number message 4))
        (else (%one-line (string message)))))

(define (%one-line text)
  "The text with spaces in place of control characters."
  (string-map (lambda (c) (if (char<? c #\space) #\space c)) text))

(define (%bar-line bar i n now message)
  "The line of a pipe: train: 45/100 (45%), 12 s, 15 s left, 3.7/s: loss 0.23."
  (string (%one-line (%bar-label bar)) ": " i "/" n
          " (" (%percentage i n) "%)" ", " (%pace-text bar i n now)
          (if (string-null? message) "" ": ") message "\n"))

(define (%percentage i n)
  "How many percent are done, rounded down."
  (if (= n 0) 100 (min 100 (quotient (* 100 i) n))))

(define (%bar-text bar i n now columns message)
  "The status line, which is narrower than the terminal: in its last column
  some begin the next line."
  (let* ((label (%one-line (%bar-label bar)))
         (before (string label (if (string-null? label) "" " ")
                         (format "~3d%" (%percentage i n)) " "))
         (after (string " " i "/" n "  " (%pace-text bar i n now)
                        (if (string-null? message) "" "  ") message))
         (room (- columns 1 (%text-width before) (%text-width after)))
         (size (min 40 room)))
    (%fitting (if (< size 6)
                  (string before after)
                  (string before (%drawn-bar i n size) after))
              (- columns 1))))

(define (%drawn-bar i n size)
  "A bar of that many columns, drawn in halves of columns."
  (let* ((halves (if (= n 0)
                     (* 2 size)
                     (min (* 2 size) (quotient (* 2 size i) n))))
         (full (quotient halves 2))
         (half (remainder halves 2)))
    (string (make-string full #\━)
            (make-string half #\╸)
            (make-string (- size full half) #\space))))

(define (%pace-text bar i n now)
  "12 s, 15 s left, 3.7/s"
  (let* ((seconds (/ (- now (%bar-start bar)) 1e9))
         (steps (- i (%bar-first bar))))
    (if (or (= steps 0) (<= seconds 0))
        (%duration-text seconds)
        (string (%duration-text seconds)
                (if (< i n)
                    (string ", " (%duration-text (* (- n i) (/ seconds steps)))
                            " left")
                    "")
                ", " (%rate-text (/ steps seconds))))))

(define (%rate-text rate)
  "3.7/s, or 2.5 s each."
  (if (>= rate 1)
      (string (%short-number rate 2) "/s")
      (string (%short-number (/ 1 rate) 2) " s each")))

(define (%duration-text seconds)
  "0.4 s, 12 s, 3:05 min, 26:03:05 h."
  (let ((whole (exact (round seconds))))
    (define (two n) (string (if (< n 10) "0" "") n))
    (cond ((< seconds 0.95) (string (%rounded seconds 10) " s"))
          ((< whole 60) (string whole " s"))
          ((< whole 3600)
           (string (quotient whole 60) ":" (two (remainder whole 60)) " min"))
          (else
           (string (quotient whole 3600) ":"
                   (two (quotient (remainder whole 3600) 60)) ":"
                   (two (remainder whole 60)) " h")))))

(define (%short-number x digits)
  "A number with that many digits that count: 0.1235, 1234, 1.2e-7."
  (cond ((or (not (finite? x)) (= x 0)) (%trimmed-number (inexact x)))
        ((or (>= (abs x) 1e6) (< (abs x) 1e-4)) (%scientific x digits))
        (else
         (let ((power (exact (floor (log (abs x) 10)))))
           (%trimmed-number
            (%round-to x (- digits 1 power)))))))

(define (%round-to x decimals)
  "x rounded to decimals; only its fraction is rounded."
  (let ((scale (expt 10 (max 0 decimals))))
    (inexact (/ (round (* (exact x) scale)) scale))))

(define (%scientific x digits)
  "1.2e-7"
  (let* ((power (exact (floor (log (abs x) 10))))
         (mantissa (%round-to (/ (exact x) (expt 10 power)) (- digits 1))))
    (string (%trimmed-number mantissa) "e" power)))

(define (%trimmed-number x)
  "The text of a double without .0 at its end."
  (let ((text (number->string x)))
    (cond ((string=? text "+nan.0") "nan")
          ((string=? text "+inf.0") "inf")
          ((string=? text "-inf.0") "-inf")
          ((string-suffix? ".0" text)
           (substring text 0 (- (string-length text) 2)))
          (else text))))

;; How wide a text is on a terminal.

(define %wide-characters
  '((#x1100 . #x115F) (#x2E80 . #xA4CF) (#xAC00 . #xD7A3) (#xF900 . #xFAFF)
    (#xFE30 . #xFE6F) (#xFF00 . #xFF60) (#xFFE0 . #xFFE6)
    (#x1F300 . #x1FAFF) (#x20000 . #x3FFFD)))

(define (%char-width c)
  "The columns of a character: 2 for Chinese and the like, 0 for accents that
  join the character before them."
  (let ((code (char->integer c)))
    (cond ((< code #x300) 1)
          ((<= code #x36F) 0)
          ((any (lambda (range) (<= (car range) code (cdr range)))
                %wide-characters)
           2)
          (else 1))))

(define (%text-width text)
  "The columns of a text."
  (fold (lambda (c sum) (+ sum (%char-width c))) 0 (string->list text)))

(define (%fitting text columns)
  "The beginning of the text that fits into the columns."
  (let loop ((left (string->list text)) (used 0) (taken '()))
    (if (or (null? left)
            (> (+ used (%char-width (car left))) columns))
        (list->string (reverse taken))
        (loop (cdr left)
              (+ used (%char-width (car left)))
              (cons (car left) taken)))))

;; Loops with a bar.

(define-syntax do-progress
  "Run the body for each item with a progress bar: (do-progress (x items) ...)
  or (do-progress (x items \"label\") ...).

  items is a list, a vector, a tensor (its first dimension), or an exact
  integer n for 0 to n - 1.  A data loader's batches have several parts:
  (do-progress ((x y) loader \"train\") ...).  In the body
  (progress-message value) sets the message of the bar."
  (syntax-rules ()
    ((_ (x items) body ...)
     (do-progress (x items "") body ...))
    ((_ ((x ...) items label) body ...)
     (%do-progress (lambda (x ...) body ...) items label))
    ((_ (x items label) body ...)
     (%do-progress (lambda (x) body ...) items label))))

(define (progress-message message)
  "Set the message of the innermost do-progress, shown when its bar is next
  drawn.  A procedure of no arguments is called for it only then."
  (set! %progress-message message))

(define (%do-progress body items label)
  "Call the body for each item; a bar shows how many are done."
  (let ((outer %progress-message))
    (set! %progress-message #f)
    (if (data-loader? items)
        (%loader-progress body items label)
        (%items-progress body (%progress-items items) label))
    (set! %progress-message outer)))

(define (%items-progress body items label)
  "Call the body for each element of a vector, or for 0 to n - 1."
  (let ((n (if (integer? items) items (vector-length items))))
    (progress 0 n label)
    (let loop ((i 0))
      (when (< i n)
        (body (if (integer? items) i (vector-ref items i)))
        (progress (+ i 1) n label %progress-message)
        (loop (+ i 1))))))

(define (%loader-progress body loader label)
  "Call the body with the parts of each batch of an epoch.  One that continues
  within an epoch begins with the batches that were done before."
  (let ((n (loader-length loader))
        (pass (%pass-of "do-progress" loader))
        (begun? #f))
    (for-each-batch
     (lambda parts
       (let ((i (%pass-position pass)))
         (unless begun?
           (set! begun? #t)
           (progress (- i 1) n label))
         (apply body parts)
         (progress i n label %progress-message)))
     loader)))

(define (%progress-items items)
  "The items of do-progress, as a vector or an exact integer."
  (cond ((and (exact-integer? items) (>= items 0)) items)
        ((vector? items) items)
        ((list? items) (list->vector items))
        ((and (tensor? items) (> (tensor-rank items) 0))
         (list->vector (tensor-unbind items)))
        (else (wrong-type "do-progress"
                          "a list, a vector, a tensor, a data loader or an integer"
                          items))))
