;; template-format.lisp - Python's ways to put values into a text.
;;
;;     {{ "{:>5} of {n}".format(1, n=2) }}    {{ "%d%%" % 5 }}    {{ "%s" | format(x) }}

(define %most-width 100000)           ; characters of one value

(define-record-type %format-spec
  (%make-format-spec fill align sign alternate width grouping precision type)
  %format-spec?
  (fill %spec-fill)
  (align %spec-align)                 ; #\< #\> #\^ #\= or #f
  (sign %spec-sign)                   ; #\+ #\space or #f
  (alternate %spec-alternate)
  (width %spec-width)
  (grouping %spec-grouping)           ; "," "_" or #f
  (precision %spec-precision)         ; or #f
  (type %spec-type))                  ; a character, or #f

;; str.format.

(define (%format-method run line text items named)
  "str.format: the text with its fields replaced."
  (%text-of-format run line text items named (vector 0)))

(define (%text-of-format run line text items named counter)
  "The same; the counter is the number of the next field without a name."
  (let loop ((chars (string->list text)) (made '()))
    (cond ((null? chars) (string-concatenate (reverse made)))
          ((and (memv (car chars) '(#\{ #\})) (pair? (cdr chars))
                (eqv? (car chars) (cadr chars)))
           (loop (cddr chars) (cons (string (car chars)) made)))
          ((eqv? (car chars) #\})
           (%template-error line "a format has a single }"))
          ((eqv? (car chars) #\{)
           (let*-values (((field rest) (%format-field line (cdr chars)))
                         ((name conversion spec) (%field-parts line field))
                         ((name) (%numbered-field name counter))
                         ((value) (%format-field-value line name items named))
                         ((spec) (if (string-index spec #\{)
                                     (%text-of-format run line spec items named
                                                      counter)
                                     spec)))
             (loop rest
                   (cons (%formatted-field run line value conversion spec)
                         made))))
          (else
           (let-values (((plain rest) (break (lambda (c) (memv c '(#\{ #\})))
                                             chars)))
             (loop rest (cons (list->string plain) made)))))))

(define (%numbered-field name counter)
  "The name of a field, with the next number if it has none."
  (if (or (string-null? name) (memv (string-ref name 0) '(#\. #\[)))
      (let ((next (vector-ref counter 0)))
        (vector-set! counter 0 (+ next 1))
        (string-append (number->string next) name))
      name))

(define (%format-field line chars)
  "The characters of a field up to its closing brace, and those behind it."
  (let loop ((chars chars) (depth 0) (made '()))
    (cond ((null? chars) (%template-error line "a format has a single {"))
          ((and (eqv? (car chars) #\}) (= depth 0))
           (values (reverse made) (cdr chars)))
          (else
           (loop (cdr chars)
                 (case (car chars) ((#\{) (+ depth 1)) ((#\}) (- depth 1))
                   (else depth))
                 (cons (car chars) made))))))

(define (%field-parts line chars)
  "The name, the conversion (a character or #f) and the specification of a
  field."
  (let*-values (((name rest) (break (lambda (c) (memv c '(#\! #\:))) chars))
                ((converted) (and (pair? rest) (eqv? (car rest) #\!)))
                ((after) (if converted (drop rest (min 2 (length rest))) rest)))
    (when (and converted
               (or (null? (cdr rest)) (not (memv (cadr rest) '(#\r #\s #\a)))
                   (not (or (null? after) (eqv? (car after) #\:)))))
      (%template-error line "the conversions of a format are !r, !s and !a"))
    (values (list->string name) (and converted (cadr rest))
            (list->string (if (pair? after) (cdr after) '())))))

(define (%format-field-value line path items named)
  "The value that a field names: 0, name, 0.attribute or 0[key]."
  (let*-values (((first rest) (break (lambda (c) (memv c '(#\. #\[)))
                                     (string->list path)))
                ((name) (list->string first))
                ((k) (string->number name)))
    (let loop ((value (cond ((and (exact-integer? k) (< -1 k (length items)))
                             (list-ref items k))
                            ((assoc name named) => cdr)
                            (else
                             (%template-error
                              line (string "the format has no argument "
                                           name)))))
               (rest rest))
      (cond ((null? rest) value)
            ((eqv? (car rest) #\.)
             (let-values (((name rest) (break (lambda (c) (memv c '(#\. #\[)))
                                              (cdr rest))))
               (loop (%field-of line value (list->string name)) rest)))
            (else
             (let*-values (((key rest) (break (lambda (c) (eqv? c #\]))
                                              (cdr rest)))
                           ((key) (list->string key)))
               (loop (%item-of line value (or (string->number key) key))
                     (if (pair? rest) (cdr rest) rest))))))))

(define (%formatted-field run line value conversion spec)
  "The text of a value in a field."
  (let ((value (if (memv conversion '(#\r #\a))
                   (%python-text value)
                   (if conversion (%template-text value) value))))
    (if (string-null? spec)
        (%template-text value)
        (%formatted-value run line value (%parse-format-spec line spec)))))

;; Specifications: [[fill]align][sign][#][0][width][grouping][.precision][type].

(define (%parse-format-spec line text)
  "A specification as a record."
  (let* ((chars (string->list text))
         (align? (lambda (k) (and (> (length chars) k)
                                  (memv (list-ref chars k) '(#\< #\> #\^ #\=)))))
         (filled (align? 1))
         (aligned (or filled (align? 0)))
         (fill (if filled (car chars) #\space))
         (align (and aligned (if filled (cadr chars) (car chars))))
         (chars (drop chars (cond (filled 2) (aligned 1) (else 0))))
         (sign (and (pair? chars) (memv (car chars) '(#\+ #\- #\space))
                    (car chars)))
         (chars (if sign (cdr chars) chars))
         (alternate (and (pair? chars) (eqv? (car chars) #\#)))
         (chars (if alternate (cdr chars) chars))
         (zero (and (pair? chars) (eqv? (car chars) #\0) (not align))))
    (let*-values (((width chars) (span char-numeric? chars))
                  ((grouping) (and (pair? chars) (memv (car chars) '(#\, #\_))
                                   (string (car chars))))
                  ((chars) (if grouping (cdr chars) chars))
                  ((pointed) (and (pair? chars) (eqv? (car chars) #\.)))
                  ((precision chars) (if pointed
                                         (span char-numeric? (cdr chars))
                                         (values '() chars))))
      (when (or (> (length chars) 1) (and pointed (null? precision)))
        (%template-error line (format "invalid format specification ~s" text)))
      (%make-format-spec (if zero #\0 fill) (if zero #\= align)
                         (and (not (eqv? sign #\-)) sign) alternate
                         (%format-size line width 0) grouping
                         (%format-size line precision #f)
                         (and (pair? chars) (car chars))))))

(define (%format-size line digits otherwise)
  "A width or a precision."
  (if (null? digits)
      otherwise
      (let ((n (string->number (list->string digits))))
        (when (> n %most-width)
          (%template-error line (string "a width of a format is more than "
                                        %most-width)))
        n)))

(define (%formatted-value run line x spec)
  "The text of a value as a specification describes it."
  (let* ((type (%spec-type spec))
         (x (if (and (boolean? x) type (not (eqv? type #\s)))
                (%number-of x)
                x))
         (made (cond ((and (number? x) (not (eqv? type #\s)))
                      (%padded-field spec #\> (%number-sign spec x)
                               (%number-digits line (abs x) spec)))
                     ((and type (not (eqv? type #\s)))
                      (%template-error
                       line (string "the format code " type
                                    " does not go with " (%template-kind x))))
                     (else
                      (let* ((text (%template-text x)) (n (%spec-precision spec)))
                        (%padded-field spec #\< ""
                                 (if (and n (< n (string-length text)))
                                     (string-take text n)
                                     text)))))))
    (%count-text! run line (string-length made))
    made))

(define (%number-sign spec x)
  "The sign before a number."
  (cond ((or (< x 0) (eqv? x -0.0)) "-")
        ((%spec-sign spec) => string)
        (else "")))

(define (%padded-field spec align sign text)
  "A text with its sign, as wide as the specification says."
  (let* ((align (or (%spec-align spec) align))
         (missing (max 0 (- (%spec-width spec) (string-length sign)
                            (string-length text))))
         (left (case align ((#\<) 0) ((#\^) (quotient missing 2))
                 (else missing)))
         (pad (lambda (n) (make-string n (%spec-fill spec)))))
    (if (eqv? align #\=)
        (string-append sign (pad missing) text)
        (string-append (pad left) sign text (pad (- missing left))))))

(define (%number-digits line x spec)
  "The text of a number that is not negative."
  (let* ((type (%spec-type spec))
         (whole? (exact-integer? x))
         (precision (or (%spec-precision spec) 6))
         (prefixed (lambda (prefix base)
                     (unless whole?
                       (%template-error line (string "the format code " type
                                                     " needs an integer")))
                     (string-append (if (%spec-alternate spec) prefix "")
                                    (number->string x base))))
         (text (case type
                 ((#\d #\n) (prefixed "" 10))
                 ((#\x) (string-downcase (prefixed "0x" 16)))
                 ((#\X) (string-upcase (prefixed "0x" 16)))
                 ((#\o) (prefixed "0o" 8))
                 ((#\b) (prefixed "0b" 2))
                 ((#\c) (string (integer->char x)))
                 ((#\f #\F) (%fixed-digits x precision))
                 ((#\%) (string-append (%fixed-digits (* 100 (inexact x))
                                                      precision)
                                       "%"))
                 ((#\e) (%scientific-digits x precision))
                 ((#\E) (string-upcase (%scientific-digits x precision)))
                 ((#f) (if (and (not whole?) (%spec-precision spec))
                           (%template-error
                            line "a precision needs a format code such as f")
                           (%python-text x)))
                 (else
                  (%template-error line (string "unknown format code "
                                                type))))))
    (if (%spec-grouping spec) (%grouped text (%spec-grouping spec)) text)))

(define (%grouped text mark)
  "Digits with a mark between each three before the point."
  (let*-values (((whole rest) (span char-numeric? (string->list text))))
    (let loop ((left (reverse whole)) (k 0) (made rest))
      (if (null? left)
          (string-concatenate (map (lambda (x) (if (char? x) (string x) x)) made))
          (loop (cdr left) (+ k 1)
                (cons (car left)
                      (if (and (> k 0) (= 0 (modulo k 3)))
                          (cons mark made)
                          made)))))))

(define (%fixed-digits x places)
  "A number that is not negative with so many digits behind the point."
  (if (and (inexact? x) (not (< x +inf.0)))
      (if (= x x) "inf" "nan")
      (let* ((digits (string-pad-left (number->string
                                       (round (* (exact x) (expt 10 places))))
                                      (+ places 1) #\0))
             (all (number->string (round (* (exact x) (expt 10 places)))))
             (digits (if (> (string-length all) places) all digits))
             (point (- (string-length digits) places)))
        (if (= places 0)
            digits
            (string-append (string-take digits point) "."
                           (string-drop digits point))))))

(define (%scientific-digits x places)
  "A number that is not negative with an exponent."
  (if (and (inexact? x) (not (< x +inf.0)))
      (%fixed-digits x places)
      (let* ((exact-x (exact x))
             (power (let loop ((p 0) (y exact-x))
                      (cond ((= y 0) 0)
                            ((>= y 10) (loop (+ p 1) (/ y 10)))
                            ((< y 1) (loop (- p 1) (* y 10)))
                            (else p))))
             (scaled (round (* exact-x (expt 10 (- places power)))))
             (power (if (>= scaled (expt 10 (+ places 1))) (+ power 1) power)))
        (string (%fixed-digits (/ (round (* exact-x (expt 10 (- places power))))
                                  (expt 10 places))
                               places)
                "e" (if (< power 0) "-" "+")
                (string-pad-left (number->string (abs power))
                                 (max 2 (string-length
                                         (number->string (abs power))))
                                 #\0)))))

;; The operator %, and the filter format.

(define (%percent-formatted run line text arguments)
  "A text with each %s, %d ... replaced.  arguments: a list, or a dictionary for
  %(name)s."
  (let ((left (if (hash-table? arguments) '() arguments)))
    (let loop ((chars (string->list text)) (made '()) (left left))
      (let-values (((plain rest) (break (lambda (c) (eqv? c #\%)) chars)))
        (let ((made (cons (list->string plain) made)))
          (cond ((null? rest)
                 (when (pair? left)
                   (%template-error line "the format does not use all values"))
                 (string-concatenate (reverse made)))
                ((and (pair? (cdr rest)) (eqv? (cadr rest) #\%))
                 (loop (cddr rest) (cons "%" made) left))
                (else
                 (let*-values (((key rest) (%percent-key line (cdr rest)))
                               ((flags rest) (span (lambda (c)
                                                     (memv c '(#\- #\+ #\space
                                                               #\# #\0)))
                                                   rest))
                               ((width rest) (span char-numeric? rest))
                               ((pointed) (and (pair? rest)
                                               (eqv? (car rest) #\.)))
                               ((places rest) (if pointed
                                                  (span char-numeric? (cdr rest))
                                                  (values '() rest))))
                   (when (or (null? rest) (and (not key) (null? left)))
                     (%template-error line "the format needs more values"))
                   (loop (cdr rest)
                         (cons (%percent-field
                                run line
                                (if key
                                    (%item-of line arguments key)
                                    (car left))
                                flags (%format-size line width 0)
                                (%format-size line places (and pointed 0))
                                (car rest))
                               made)
                         (if key left (cdr left)))))))))))

(define (%percent-key line chars)
  "The name in round brackets, or #f, and the characters behind it."
  (if (and (pair? chars) (eqv? (car chars) #\())
      (let-values (((key rest) (break (lambda (c) (eqv? c #\))) (cdr chars))))
        (when (null? rest) (%template-error line "a format has a single ("))
        (values (list->string key) (cdr rest)))
      (values #f chars)))

(define (%percent-field run line x flags width precision type)
  "The text of one value."
  (let* ((has? (lambda (flag) (memv flag flags)))
         (text? (or (memv type '(#\s #\r #\a))
                    (and (eqv? type #\c) (string? x)
                         (= (string-length x) 1))))
         (x (cond ((memv type '(#\r #\a)) (%python-text x))
                  (text? (%template-text x))
                  ((memv type '(#\d #\i))
                   (let ((x (%number-of x)))
                     (if (number? x)
                         (exact (truncate x))
                         (%template-error line (string "%d needs a number, got "
                                                       (%template-kind x))))))
                  (else (%number-of x)))))
    (%formatted-value run line x
                      (%make-format-spec
                       (if (and (has? #\0) (not text?) (not (has? #\-)))
                           #\0
                           #\space)
                       (cond ((has? #\-) #\<)
                             ((and (has? #\0) (not text?)) #\=)
                             (else #\>))
                       (cond ((has? #\+) #\+) ((has? #\space) #\space)
                             (else #f))
                       (has? #\#) width #f
                       precision
                       (cond (text? #\s) ((eqv? type #\i) #\d) (else type))))))
