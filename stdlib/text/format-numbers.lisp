;; format-numbers.lisp - numbers as ~d ~x ~f ~e ~g ~$ print them.
;;
;; Rounding is exact: a double is the fraction that it stands for, and a number
;; halfway between two results becomes the even one, as printf does.  Without a
;; number of decimals a double has the fewest digits that read as itself.

;; Integers.

(define (%number-step directive radix)
  "The step of ~d, ~x, ~o and ~b: width, padding, separator, group's size."
  (%writing-step
   directive
   (if (%is-bare? directive)
       (lambda (x parameters)
         (if (exact-integer? x)
             (number->string x radix)
             (%integer-text directive parameters x radix)))
       (lambda (x parameters)
         (%integer-text directive parameters x radix)))))

(define (%is-bare? directive)
  "Whether a directive has neither parameters nor flags."
  (and (null? (%directive-parameters directive))
       (not (%directive-colon? directive))
       (not (%directive-at? directive))))

(define (%integer-text directive parameters x radix)
  "A number in a radix, 10 unless it is exact."
  (cond ((not (number? x)) (%format-wrong-type directive "a number" x))
        ((and (not (= radix 10)) (inexact? x))
         (%format-wrong-type directive "an exact number" x)))
  (let* ((text (number->string x radix))
         (width (%count-parameter directive parameters 0 0))
         (fill (%char-parameter directive parameters 1 #\space))
         (comma (%char-parameter directive parameters 2 #\,))
         (size (max 1 (%count-parameter directive parameters 3 3)))
         (signed (if (and (%directive-at? directive)
                          (not (memv (string-ref text 0) '(#\- #\+))))
                     (string-append "+" text)
                     text))
         (grouped (if (%directive-colon? directive)
                      (%grouped-digits signed comma size radix)
                      signed)))
    (%pad grouped (- width (string-length grouped)) fill #t)))

(define (%grouped-digits text comma size radix)
  "A number's text with a separator between groups of its first digits."
  (let* ((start (if (memv (string-ref text 0) '(#\- #\+)) 1 0))
         (end (let loop ((k start))
                (if (and (< k (string-length text))
                         (%digit-in? (string-ref text k) radix))
                    (loop (+ k 1))
                    k)))
         (first (+ start (let ((odd (remainder (- end start) size)))
                           (if (= odd 0) (min size (- end start)) odd)))))
    (let loop ((k first) (parts (list (substring text 0 first))))
      (if (< k end)
          (loop (+ k size)
                (cons (substring text k (+ k size))
                      (cons (string comma) parts)))
          (string-join (reverse (cons (substring text end) parts)) "")))))

(define (%digit-in? char radix)
  "Whether a character is a digit in a radix, which may be above 10."
  (or (char<=? #\0 char #\9)
      (and (> radix 10) (char<=? #\a (char-downcase char) #\z))))

;; Doubles and fractions.

(define (%float-step directive text-of)
  "The step of ~f, ~e, ~g or ~$, whose texts (text-of d parameters x) returns."
  (%writing-step
   directive
   (lambda (x parameters) (%float-text directive parameters x text-of))))

(define (%float-text directive parameters x text-of)
  "The text of a number, or of a tensor of one element."
  (let ((x (%format-real directive x)))
    (if (or (nan? x) (infinite? x))
        (let ((text (number->string x)) (width (%directive-parameter parameters 0)))
          (if (and width (not (eqv? (%directive-letter directive) #\$)))
              (%pad text
                    (- (%count-parameter directive parameters 0 0)
                       (string-length text))
                    #\space #t)
              text))
        (text-of directive parameters x))))

(define (%format-real directive x)
  "A number, or the element of a tensor of one."
  (cond ((number? x) x)
        ((tensor? x) (string->number (%fixed x #f)))
        (else (%format-wrong-type directive "a number" x))))

(define (%sign-text x plus?)
  "The sign of a number: -, + or nothing."
  (cond ((%negative-number? x) "-")
        (plus? "+")
        (else "")))

(define (%negative-number? x)
  "Whether a number has the sign -, as -0.0 has."
  (or (< x 0) (and (inexact? x) (= x 0) (< (/ 1.0 x) 0))))

(define (%field text width overflow fill)
  "A number's text in a width; the overflow character if it does not fit."
  (let ((lacks (- (or width 0) (string-length text))))
    (if (and width overflow (< lacks 0))
        (make-string width overflow)
        (%pad text lacks fill #t))))

;; ~f

(define %large-number 1e15)   ; below which numbers have no sign and are not special

(define (%fixed-step directive)
  "The step of ~f.  Most have only a number of decimals: ~,2f."
  (let ((decimals (%only-decimals directive)))
    (if decimals
        (%writing-step
         directive
         (lambda (x parameters)
           (if (and (real? x) (< 0 x) (< x %large-number))
               (%fixed x decimals)
               (%float-text directive parameters x %fixed-text))))
        (%float-step directive %fixed-text))))

(define (%only-decimals directive)
  "The number of decimals of a directive without other parameters; #f of others."
  (let ((parameters (%directive-parameters directive)))
    (and (= (length parameters) 2)
         (not (car parameters))
         (not (%directive-at? directive))
         (exact-integer? (cadr parameters))
         (>= (cadr parameters) 0)
         (cadr parameters))))

(define (%fixed-text directive parameters x)
  "The text of ~f: width, decimals, scale, overflow character, padding."
  (let* ((second (%directive-parameter parameters 1))
         (fill (%char-parameter directive parameters 4
                                (if (char? second) second #\space)))
         (decimals (if (char? second)
                       #f
                       (%count-parameter directive parameters 1 #f))))
    (%fixed-field x
                  (%count-parameter directive parameters 0 #f)
                  decimals
                  (%integer-parameter directive parameters 2 0)
                  (%char-parameter directive parameters 3 #f)
                  fill
                  (%directive-at? directive))))

(define (%fixed-field x width decimals scale overflow fill plus?)
  "A number times ten to the scale, with decimals."
  (let* ((sign (%sign-text x plus?))
         (room (and width (- width (string-length sign))))
         (text (%fixed-magnitude (abs x) decimals scale room))
         (short (if (and room (> (string-length text) room)
                         (string-prefix? "0." text))
                    (substring text 1)
                    text)))
    (%field (string-append sign short) width overflow fill)))

(define (%fixed-magnitude x decimals scale room)
  "The digits of ~f for a number from 0."
  (cond ((and decimals (= scale 0)) (%fixed x decimals))
        (decimals (%fixed (* (exact x) (expt 10 scale)) decimals))
        ((exact? x) (number->string (* x (expt 10 scale))))
        (else
         (let* ((digits (%shortest-digits x))
                (point (+ (cdr digits) scale))
                (text (%plain-decimal (car digits) point)))
           (if (and room (> (string-length text) room))
               (%shorter-decimal x scale text room)
               text)))))

(define (%shorter-decimal x scale text room)
  "The text of a double with as many decimals as there is room for, but one."
  (let* ((whole (string-index text #\.))
         (whole (if (string-prefix? "0." text) 0 whole))
         (decimals (max 1 (- room whole 1)))
         (short (%fixed (* (exact x) (expt 10 scale)) decimals)))
    (if (< (string-length short) (string-length text)) short text)))

(define (%shortest-digits x)
  "(digits . point) of a double from 0: 0.DIGITS times ten to the point."
  (let* ((text (number->string x))
         (e (string-index text #\e))
         (mantissa (substring text 0 (or e (string-length text))))
         (power (if e (string->number (substring text (+ e 1))) 0))
         (dot (or (string-index mantissa #\.) (string-length mantissa)))
         (all (string-append
               (substring mantissa 0 dot)
               (substring mantissa (min (+ dot 1) (string-length mantissa))))))
    (let loop ((zeros 0))
      (cond ((= zeros (string-length all)) (cons "0" 1))
            ((char=? (string-ref all zeros) #\0) (loop (+ zeros 1)))
            (else
             (cons (%without-end-zeros (substring all zeros))
                   (+ power (- dot zeros))))))))

(define (%without-end-zeros digits)
  "Digits without zeros at the end, but for the first one."
  (let loop ((end (string-length digits)))
    (if (and (> end 1) (char=? (string-ref digits (- end 1)) #\0))
        (loop (- end 1))
        (substring digits 0 end))))

(define (%plain-decimal digits point)
  "0.DIGITS times ten to the point, with a digit before and after the point."
  (let ((n (string-length digits)))
    (cond ((<= point 0)
           (string-append "0." (make-string (- point) #\0) digits))
          ((>= point n)
           (string-append digits (make-string (- point n) #\0) ".0"))
          (else
           (string-append (substring digits 0 point) "."
                          (substring digits point))))))

(define (%rounded-digits x count)
  "(digits . point) of an exact number above 0, rounded to count digits."
  (let* ((point (%decimal-point x))
         (rounded (round (* x (expt 10 (- count point)))))
         (text (number->string rounded)))
    (if (> (string-length text) count)
        (cons (substring text 0 count) (+ point 1))
        (cons text point))))

(define (%decimal-point x)
  "The p for which an exact x above 0 is at least 10^(p-1), and below 10^p."
  (let ((above (numerator x)) (below (denominator x)))
    (if (>= above below)
        (string-length (number->string (quotient above below)))
        (let ((m (string-length (number->string (quotient below above)))))
          (if (= (* above (expt 10 (- m 1))) below) (- 2 m) (- 1 m))))))

;; ~e

(define (%exponent-text directive parameters x)
  "The text of ~e: width, decimals, digits of the exponent, scale, overflow
  character, padding, and the letter before the exponent."
  (%exponent-field x
                   (%count-parameter directive parameters 0 #f)
                   (%count-parameter directive parameters 1 #f)
                   (%count-parameter directive parameters 2 1)
                   (%integer-parameter directive parameters 3 1)
                   (%char-parameter directive parameters 4 #f)
                   (%char-parameter directive parameters 5 #\space)
                   (%char-parameter directive parameters 6 #\E)
                   (%directive-at? directive)))

(define (%exponent-field x width decimals exponent-digits scale overflow fill
                         letter plus?)
  "A number with scale digits before the point, or -scale zeros after it."
  (let* ((sign (%sign-text x plus?))
         (digits (%exponent-digits (abs x) decimals scale))
         (power (%power-text digits scale letter exponent-digits))
         (room (and width (not decimals)
                    (- width (string-length sign) (string-length power)
                       (if (> scale 0) 1 (- 2 scale)))))
         (digits (if (and room (> (string-length (car digits)) room)
                          (not (= x 0)))
                     (%shorter-digits x (max room 1 (+ scale 1)))
                     digits))
         (power (%power-text digits scale letter exponent-digits))
         (mantissa (%mantissa-text (car digits) scale (not decimals)))
         (text (string-append sign mantissa power)))
    (%field (if (and width (> (string-length text) width)
                     (string-prefix? "0." mantissa)
                     (> (string-length mantissa) 2))
                (string-append sign (substring mantissa 1) power)
                text)
            width overflow fill)))

(define (%shorter-digits x count)
  "(digits . point) of a number with at most count digits."
  (let ((rounded (%rounded-digits (abs (exact x)) count)))
    (cons (%without-end-zeros (car rounded)) (cdr rounded))))

(define (%exponent-digits x decimals scale)
  "(digits . point) of a number from 0, as many as ~e shows."
  (let ((count (and decimals
                    (max 1 (+ decimals (if (> scale 0) 1 scale))))))
    (cond ((= x 0) (cons (make-string (or count 1) #\0) scale))
          (count (%rounded-digits (exact x) count))
          ((exact-integer? x)
           (let ((text (number->string x)))
             (cons (%without-end-zeros text) (string-length text))))
          (else (%shortest-digits (inexact x))))))

(define (%power-text digits scale letter least)
  "The exponent with its letter and sign."
  (let* ((power (- (cdr digits) scale))
         (text (number->string (abs power))))
    (string-append (string letter) (if (< power 0) "-" "+")
                   (%pad text (- least (string-length text)) #\0 #t))))

(define (%mantissa-text digits scale point-zero?)
  "The digits with a point after the first scale ones.

  point-zero?: whether a digit must follow the point."
  (if (> scale 0)
      (let* ((digits (%pad digits (- scale (string-length digits)) #\0 #f))
             (after (substring digits scale)))
        (string-append (substring digits 0 scale) "."
                       (if (and point-zero? (string-null? after)) "0" after)))
      (string-append "0." (make-string (- scale) #\0) digits)))

;; ~g

(define (%general-text directive parameters x)
  "The text of ~g: like ~f, and spaces in place of an exponent, if the digits
  suffice for that, else like ~e, whose parameters it takes."
  (let* ((width (%count-parameter directive parameters 0 #f))
         (decimals (%count-parameter directive parameters 1 #f))
         (e (%count-parameter directive parameters 2 #f))
         (overflow (%char-parameter directive parameters 4 #f))
         (fill (%char-parameter directive parameters 5 #\space))
         (after (if e (+ e 2) 4))
         (point (if (= x 0) 0 (%decimal-point (abs (exact x)))))
         (plus? (%directive-at? directive)))
    (if (and (>= point 0) (or (not decimals) (<= point decimals)))
        (string-append
         (%fixed-field (if decimals x (inexact x))
                       (and width (max 0 (- width after)))
                       (and decimals (- decimals point))
                       0 overflow fill plus?)
         (make-string after #\space))
        (%exponent-text directive parameters x))))

;; ~$

(define (%money-text directive parameters x)
  "The text of ~$: decimals, least digits before the point, width, padding.

  ~:$ has the sign before the padding."
  (let* ((decimals (%count-parameter directive parameters 0 2))
         (least (%count-parameter directive parameters 1 1))
         (width (%count-parameter directive parameters 2 0))
         (fill (%char-parameter directive parameters 3 #\space))
         (sign (%sign-text x (%directive-at? directive)))
         (digits (%fixed (abs x) decimals))
         (whole (or (string-index digits #\.) (string-length digits)))
         (text (%pad digits (- least whole) #\0 #t))
         (lacks (- width (string-length sign) (string-length text))))
    (if (%directive-colon? directive)
        (string-append sign (%pad text lacks fill #t))
        (%pad (string-append sign text) lacks fill #t))))
