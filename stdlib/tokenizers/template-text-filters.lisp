;; template-text-filters.lisp - the filters of chat templates for texts and
;; numbers.

;; Texts.

(define (%truncate-filter run line x size kill end leeway)
  "truncate(length, killwords, end, leeway)."
  (let* ((text (%template-text x))
         (end (%check-text line end))
         (size (%check-integer line size))
         (leeway (if (eq? leeway 'null) 5 (%check-integer line leeway)))
         (room (- size (string-length end))))
    (when (or (< room 0) (< leeway 0))
      (%template-error line "truncate needs a length of at least that of end"))
    (if (<= (string-length text) (+ size leeway))
        text
        (let* ((part (string-take text room))
               (k (and (not (%template-true? kill)) (%last-place part " "))))
          (string-append (if k (string-take part k) part) end)))))

(define (%indent-filter run line x width first blank)
  "indent(width, first, blank): spaces before lines."
  (let* ((space (if (string? width)
                    width
                    (make-string (%checked-size line width) #\space)))
         (blank (%template-true? blank))
         (lines (%lines-of (string-append (%template-text x) "\n") #f))
         (indented (lambda (text)
                     (if (or blank (not (string=? text "")))
                         (string-append space text)
                         text))))
    (%count-text! run line (* (length lines) (string-length space)))
    (%joined-text run line
                  (cons (if (%template-true? first)
                            (string-append space (car lines))
                            (car lines))
                        (map indented (cdr lines)))
                  "\n")))

(define (%checked-size line n)
  "A number of characters."
  (let ((n (max 0 (%check-integer line n))))
    (when (> n %most-width)
      (%template-error line (string "a width is more than " %most-width)))
    n))

(define (%center-filter run line x width)
  "center(width)."
  ((%callee-procedure (hash-ref (force %string-methods) "center"))
   run line (%template-text x) (%checked-size line width) " "))

(define (%escaped text)
  "The text with HTML's characters escaped."
  (fold (lambda (pair text) (string-replace text (car pair) (cdr pair)))
        text
        '(("&" . "&amp;") (">" . "&gt;") ("<" . "&lt;") ("'" . "&#39;")
          ("\"" . "&#34;"))))

(define (%escape-filter run line x)
  "escape: safe text, which is escaped already if it was safe."
  (if (%markup? x) x (%escaped-value run line x)))

(define (%escaped-value run line x)
  "The text of a value as safe text."
  (let ((text (%escaped (%template-text x))))
    (%count-text! run line (string-length text))
    (%markup text)))

(define (%striptags-filter run line x)
  "striptags: the text without tags and comments of HTML, and single spaces."
  (let loop ((text (%template-text x)) (made '()))
    (let* ((k (string-contains text "<"))
           (comment (and k (string-prefix? "<!--" (string-drop text k))))
           (end (and k (string-contains text (if comment "-->" ">") k))))
      (%count-work! (string-length text))
      (if end
          (loop (string-drop text (+ end (if comment 3 1)))
                (cons (string-take text k) made))
          (string-join
           (%split-white (string->list
                          (string-concatenate (reverse (cons text made))))
                         -1)
           " ")))))

(define (%urlencode-filter run line x)
  "urlencode: a text with % escapes, or the entries of a dictionary."
  (if (string? x)
      (%percent-escaped run line x "/" "%20")
      (string-join
       (map (lambda (entry)
              (string-join (map (lambda (part)
                                  (%percent-escaped run line part "" "+"))
                                (%template-items line entry))
                           "="))
            (if (hash-table? x) (%items-of-table x) (%template-items line x)))
       "&")))

(define (%percent-escaped run line x safe space)
  "The text of a value with % escapes; some characters are safe."
  (let ((bytes (string->utf8 (%template-text x))))
    (%count-text! run line (* 3 (bytevector-length bytes)))
    (string-concatenate
     (map (lambda (byte)
            (let ((c (integer->char byte)))
              (cond ((eqv? c #\space) space)
                    ((and (< byte 128)
                          (or (char-alphabetic? c) (char-numeric? c)
                              (string-index "-._~" c) (string-index safe c)))
                     (string c))
                    (else
                     (string "%" (string-upcase
                                  (string-pad-left (number->string byte 16) 2
                                                   #\0)))))))
          (%bytes->list bytes)))))

(define (%tojson-filter run line x ascii indent separators sort-keys)
  "tojson(ensure_ascii, indent, separators, sort_keys), as transformers has it."
  (let* ((indent (cond ((eq? indent 'null) #f)
                       ((string? indent) indent)
                       (else (make-string (%checked-size line indent) #\space))))
         (marks (if (eq? separators 'null)
                    (list (if indent "," ", ") ": ")
                    (map (lambda (mark) (%check-text line mark))
                         (%template-items line separators)))))
    (unless (= (length marks) 2)
      (%template-error line "separators are two texts"))
    (let ((made (%template-json line x
                                (%make-json-style indent (car marks) (cadr marks)
                                                  (%template-true? sort-keys)
                                                  (%template-true? ascii))
                                0)))
      (%count-text! run line (string-length made))
      made)))

;; Numbers.

(define (%int-filter run line x default base)
  "int(default, base): the integer of a text in a base, or of a number."
  (let* ((x (%number-of x))
         (base (%check-integer line base))
         (whole (and (string? x) (%parsed-integer line x base)))
         (number (if whole whole (%parsed-float x))))
    (cond ((%undefined? x)
           (%template-error line (string "int needs a number, got "
                                         (%template-kind x))))
          ((and (number? number) (= number number) (< (abs number) +inf.0))
           (exact (truncate number)))
          (else default))))

(define (%parsed-integer line text base)
  "The integer of a text as Python's int reads it, or #f.  A prefix such as 0x
  names its base."
  (let* ((text (string-downcase (string-trim text %python-white?)))
         (minus (string-prefix? "-" text))
         (digits (if (or minus (string-prefix? "+" text))
                     (string-drop text 1)
                     text))
         (named (assoc (if (>= (string-length digits) 2)
                           (string-take digits 2)
                           "")
                       '(("0x" . 16) ("0o" . 8) ("0b" . 2))))
         (prefixed (and named (memv base (list 0 (cdr named)))))
         (base (cond (prefixed (cdr named)) ((= base 0) 10) (else base)))
         (digits (if prefixed (string-drop digits 2) digits))
         (ok? (lambda (c)
                (let ((k (string-index "0123456789abcdefghijklmnopqrstuvwxyz"
                                       c)))
                  (or (eqv? c #\_) (and k (< k base)))))))
    (unless (<= 2 base 36)
      (%template-error line "a base is 0, or from 2 to 36"))
    (and (not (string=? digits ""))
         (string-every ok? digits)
         (not (string-prefix? "_" digits)) (not (string-suffix? "_" digits))
         (not (string-contains digits "__"))
         (< (string-length digits) 4300)
         (let ((n (fold (lambda (c n)
                          (if (eqv? c #\_)
                              n
                              (+ (* n base)
                                 (string-index
                                  "0123456789abcdefghijklmnopqrstuvwxyz" c))))
                        0 (string->list digits))))
           (if minus (- n) n)))))

(define (%parsed-float x)
  "A number, or the number of a text as Python's float reads it, or #f."
  (cond ((number? x) x)
        ((string? x)
         (let* ((text (string-downcase (string-trim x %python-white?)))
                (bare (string-trim-left text (lambda (c) (memv c '(#\+ #\-)))))
                (sign (if (string-prefix? "-" text) -1.0 1.0))
                (number (and (string-every
                              (lambda (c) (or (char<=? #\0 c #\9)
                                              (memv c '(#\. #\e #\+ #\- #\_))))
                              text)
                             (string->number (string-replace text "_" "")))))
           (cond ((<= (- (string-length text) (string-length bare)) 1)
                  (cond ((member bare '("inf" "infinity")) (* sign +inf.0))
                        ((string=? bare "nan") +nan.0)
                        (else number)))
                 (else #f))))
        (else #f)))

(define (%float-filter run line x default)
  "float(default)."
  (when (%undefined? x)
    (%template-error line (string "float needs a number, got "
                                  (%template-kind x))))
  (let ((number (%parsed-float (%number-of x))))
    (if number (inexact number) default)))

(define (%round-filter run line x digits method)
  "round(precision, method)."
  (let ((x (%number-of x)) (digits (%check-integer line digits)))
    (unless (number? x)
      (%template-error line (string "round needs a number, got "
                                    (%template-kind x))))
    (unless (member method '("common" "ceil" "floor"))
      (%template-error line "the method of round is common, ceil or floor"))
    (let ((scale (expt 10 (max -400 (min digits 400)))))
      (cond ((and (exact-integer? x) (string=? method "common") (>= digits 0))
             x)
            ((and (inexact? x) (not (< (abs x) +inf.0))) x)
            ((string=? method "common")
             (let ((made (/ (round (* (exact x) scale)) scale)))
               (if (exact-integer? x) made (inexact made))))
            (else
             (inexact (/ ((if (string=? method "ceil") ceiling floor)
                          (exact (* (inexact x) (inexact scale))))
                         scale)))))))
