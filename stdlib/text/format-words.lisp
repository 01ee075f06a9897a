;; format-words.lisp - integers in words and in Roman digits, for ~r.

(define (%radix-step directive)
  "The step of ~r: in words, ~:r as an ordinal, ~@r in Roman digits, ~:@r in
  old ones, as IIII; with a radix like ~d in that radix."
  (%writing-step
   directive
   (lambda (x parameters)
     (let ((radix (%count-parameter directive parameters 0 #f)))
       (if radix
           (begin
             (unless (<= 2 radix 36)
               (%wrong-parameter directive "a radix from 2 to 36" 0 radix))
             (%integer-text directive (cdr parameters) x radix))
           (begin
             (unless (exact-integer? x)
               (%format-wrong-type directive "an exact integer" x))
             (cond ((%directive-at? directive) (%roman-text directive x))
                   ((%directive-colon? directive) (%ordinal-words x))
                   (else (%number-words x)))))))))

;; Words.

(define %small-number-words
  #("zero" "one" "two" "three" "four" "five" "six" "seven" "eight" "nine" "ten"
    "eleven" "twelve" "thirteen" "fourteen" "fifteen" "sixteen" "seventeen"
    "eighteen" "nineteen"))

(define %tens-words
  #("" "" "twenty" "thirty" "forty" "fifty" "sixty" "seventy" "eighty"
    "ninety"))

(define %thousands-words
  #("" "thousand" "million" "billion" "trillion" "quadrillion" "quintillion"
    "sextillion" "septillion" "octillion" "nonillion" "decillion" "undecillion"
    "duodecillion" "tredecillion" "quattuordecillion" "quindecillion"
    "sexdecillion" "septendecillion" "octodecillion" "novemdecillion"
    "vigintillion"))

(define %irregular-ordinals
  '(("one" . "first") ("two" . "second") ("three" . "third") ("five" . "fifth")
    ("eight" . "eighth") ("nine" . "ninth") ("twelve" . "twelfth")))

;; Numbers from here on have no words: they are printed with digits.
(define %wordless-number (expt 10 66))

(define (%number-words n)
  "An integer in words: -21 is minus twenty-one."
  (cond ((>= (abs n) %wordless-number) (number->string n))
        ((< n 0) (string-append "minus " (%number-words (- n))))
        ((= n 0) "zero")
        (else (string-join (%thousands-groups n 0 '()) ", "))))

(define (%thousands-groups n power groups)
  "The words of each group of three digits, before those of later groups."
  (if (= n 0)
      groups
      (let ((group (remainder n 1000)))
        (%thousands-groups
         (quotient n 1000) (+ power 1)
         (cond ((= group 0) groups)
               ((= power 0) (cons (%hundreds-words group) groups))
               (else
                (cons (string-append (%hundreds-words group) " "
                                     (vector-ref %thousands-words power))
                      groups)))))))

(define (%hundreds-words n)
  "The words of a number from 1 to 999."
  (let ((hundreds (quotient n 100)) (rest (remainder n 100)))
    (cond ((= hundreds 0) (%tens-text rest))
          (else
           (string-append (vector-ref %small-number-words hundreds) " hundred"
                          (if (= rest 0)
                              ""
                              (string-append " " (%tens-text rest))))))))

(define (%tens-text n)
  "The words of a number from 1 to 99."
  (if (< n 20)
      (vector-ref %small-number-words n)
      (string-append (vector-ref %tens-words (quotient n 10))
                     (if (= (remainder n 10) 0)
                         ""
                         (string-append "-" (%tens-text (remainder n 10)))))))

(define (%ordinal-words n)
  "An integer as an ordinal: 21 is twenty-first."
  (if (>= (abs n) %wordless-number)
      (string-append (number->string n) (%ordinal-ending (abs n)))
      (let ((rest (remainder (abs n) 1000)))
        (if (and (< 0 rest 100) (>= (abs n) 1000))
            (string-append (%number-words (if (< n 0) (+ n rest) (- n rest)))
                           " " (%ordinal-of-words (%tens-text rest)))
            (%ordinal-of-words (%number-words n))))))

(define (%ordinal-of-words words)
  "The words of a number with the last one as an ordinal."
  (let* ((start (%last-word-start words (string-length words)))
         (last (substring words start))
         (irregular (assoc last %irregular-ordinals))
         (end (- (string-length last) 1)))
    (string-append
     (substring words 0 start)
     (cond (irregular (cdr irregular))
           ((char=? (string-ref last end) #\y)
            (string-append (substring last 0 end) "ieth"))
           (else (string-append last "th"))))))

(define (%last-word-start words k)
  "The index after the last space or hyphen before k."
  (if (or (= k 0) (memv (string-ref words (- k 1)) '(#\space #\-)))
      k
      (%last-word-start words (- k 1))))

(define (%ordinal-ending n)
  "st, nd, rd or th, as it follows the digits of a number."
  (if (<= 11 (remainder n 100) 13)
      "th"
      (case (remainder n 10)
        ((1) "st")
        ((2) "nd")
        ((3) "rd")
        (else "th"))))

;; Roman digits.

(define %roman-values
  '((1000 . "M") (900 . "CM") (500 . "D") (400 . "CD") (100 . "C") (90 . "XC")
    (50 . "L") (40 . "XL") (10 . "X") (9 . "IX") (5 . "V") (4 . "IV")
    (1 . "I")))

(define %most-roman 4999)

(define (%roman-text directive n)
  "An integer in Roman digits; old ones, for ~:@r, never subtract."
  (unless (<= 1 n %most-roman)
    (%format-wrong-type directive
                        (string "an integer from 1 to " %most-roman) n))
  (let loop ((n n) (values %roman-values) (parts '()))
    (cond ((= n 0) (string-join (reverse parts) ""))
          ((or (< n (caar values))
               (and (%directive-colon? directive)
                    (= (string-length (cdar values)) 2)))
           (loop n (cdr values) parts))
          (else
           (loop (- n (caar values)) values (cons (cdar values) parts))))))
