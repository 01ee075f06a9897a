;; base64.lisp - bytes as digits: base64 (RFC 4648) and hexadecimal.  The names
;; are those of SRFI 207.

;; The digits as bytes of ASCII, which is what the texts are built of.

(define %base64-digits
  (string->utf8
   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"))
(define %equals-sign 61)
(define %hexadecimal-digits (string->utf8 "0123456789abcdef"))

(define (%base64-extra who digits)
  "The last two digits, as bytes."
  (cond ((null? digits) (string->utf8 "+/"))
        ((and (null? (cdr digits)) (string? (car digits))
              (= (string-length (car digits)) 2)
              (string-every (lambda (c) (char<? c #\x80)) (car digits)))
         (string->utf8 (car digits)))
        (else
         (wrong-type who "two ASCII characters for the last digits"
                     (car digits)))))

(define (bytevector->base64 bytes . digits)
  "The bytes as text in base64.  With \"-_\" as the optional argument, which are
  the last two digits, it can be part of a URL or the name of a file."
  (unless (bytevector? bytes)
    (wrong-type "bytevector->base64" "a bytevector" bytes))
  (let* ((extra (%base64-extra "bytevector->base64" digits))
         (n (bytevector-length bytes))
         (result (make-bytevector (* 4 (quotient (+ n 2) 3)) %equals-sign))
         (set-digit!
          (lambda (k value)
            (bytevector-u8-set!
             result k
             (if (< value 62)
                 (bytevector-u8-ref %base64-digits value)
                 (bytevector-u8-ref extra (- value 62)))))))
    (let loop ((k 0) (to 0))
      (when (< k n)
        (let* ((a (bytevector-u8-ref bytes k))
               (b (if (< (+ k 1) n) (bytevector-u8-ref bytes (+ k 1)) 0))
               (c (if (< (+ k 2) n) (bytevector-u8-ref bytes (+ k 2)) 0)))
          (set-digit! to (quotient a 4))
          (set-digit! (+ to 1) (+ (* 16 (remainder a 4)) (quotient b 16)))
          (when (< (+ k 1) n)
            (set-digit! (+ to 2) (+ (* 4 (remainder b 16)) (quotient c 64))))
          (when (< (+ k 2) n)
            (set-digit! (+ to 3) (remainder c 64)))
          (loop (+ k 3) (+ to 4)))))
    (utf8->string result)))

(define (base64->bytevector text . digits)
  "The bytes of a text in base64.  White space is skipped, and the = at the end
  may be missing; any other character is an error that names its index.  The
  optional argument is the last two digits, such as \"-_\"."
  (unless (string? text)
    (wrong-type "base64->bytevector" "a string" text))
  (let* ((values (%base64-values (%base64-extra "base64->bytevector" digits)))
         (n (string-length text))
         (result (make-bytevector (quotient (* 3 (+ n 3)) 4))))
    ;; bits are those of the digits that have not become a byte yet.
    (let loop ((k 0) (bits 0) (count 0) (to 0))
      (let ((char (and (< k n) (string-ref text k))))
        (cond ((or (not char) (char=? char #\=))
               (%check-base64-end text k count)
               (bytevector-copy result 0 to))
              ((char-whitespace? char) (loop (+ k 1) bits count to))
              (else
               (let ((bits (+ (* 64 bits) (%base64-value text values k char))))
                 (case (remainder count 4)
                   ((0) (loop (+ k 1) bits (+ count 1) to))
                   ((1)
                    (bytevector-u8-set! result to (quotient bits 16))
                    (loop (+ k 1) (remainder bits 16) (+ count 1) (+ to 1)))
                   ((2)
                    (bytevector-u8-set! result to (quotient bits 4))
                    (loop (+ k 1) (remainder bits 4) (+ count 1) (+ to 1)))
                   (else
                    (bytevector-u8-set! result to bits)
                    (loop (+ k 1) 0 (+ count 1) (+ to 1)))))))))))

(define (%base64-values extra)
  "The value of each ASCII character as a digit; 255 if it is not one."
  (let ((values (make-bytevector 128 255)))
    (let loop ((k 0))
      (when (< k 64)
        (bytevector-u8-set! values
                            (if (< k 62)
                                (bytevector-u8-ref %base64-digits k)
                                (bytevector-u8-ref extra (- k 62)))
                            k)
        (loop (+ k 1))))
    values))

(define (%base64-value text values k char)
  "The value of a digit."
  (let* ((code (char->integer char))
         (value (if (< code 128) (bytevector-u8-ref values code) 255)))
    (if (= value 255)
        (error (string "base64->bytevector: the character at index " k
                       " is not a digit of base64:")
               char)
        value)))

(define (%check-base64-end text k count)
  "Raise an error unless only = and white space follow, and nothing is missing."
  (let loop ((k k) (signs 0))
    (cond ((< k (string-length text))
           (let ((char (string-ref text k)))
             (cond ((char=? char #\=) (loop (+ k 1) (+ signs 1)))
                   ((char-whitespace? char) (loop (+ k 1) signs))
                   (else
                    (error (string "base64->bytevector: the character at index "
                                   k " is after the end:")
                           char)))))
          ((or (= (remainder count 4) 1)
               (not (memv signs (case (remainder count 4)
                                  ((0) '(0))
                                  ((2) '(0 2))
                                  (else '(0 1))))))
           (error (string "base64->bytevector: " count " digits and " signs
                          " signs = are not whole bytes"))))))

(define (bytevector->hex-string bytes)
  "The bytes as text, two hexadecimal digits each, in lower case."
  (unless (bytevector? bytes)
    (wrong-type "bytevector->hex-string" "a bytevector" bytes))
  (let* ((n (bytevector-length bytes))
         (result (make-bytevector (* 2 n))))
    (let loop ((k 0))
      (when (< k n)
        (let ((byte (bytevector-u8-ref bytes k)))
          (bytevector-u8-set!
           result (* 2 k)
           (bytevector-u8-ref %hexadecimal-digits (quotient byte 16)))
          (bytevector-u8-set!
           result (+ (* 2 k) 1)
           (bytevector-u8-ref %hexadecimal-digits (remainder byte 16)))
          (loop (+ k 1)))))
    (utf8->string result)))

(define (hex-string->bytevector text)
  "The bytes of a text of hexadecimal digits, two for each byte, in either case.
  Any other character is an error that names its index."
  (unless (string? text)
    (wrong-type "hex-string->bytevector" "a string" text))
  (unless (even? (string-length text))
    (error (string "hex-string->bytevector: expected two digits for each byte, "
                   "got " (string-length text) " digits")))
  (let* ((n (quotient (string-length text) 2))
         (result (make-bytevector n)))
    (let loop ((k 0))
      (when (< k n)
        (bytevector-u8-set! result k
                            (+ (* 16 (%hexadecimal-value text (* 2 k)))
                               (%hexadecimal-value text (+ (* 2 k) 1))))
        (loop (+ k 1))))
    result))

(define (%hexadecimal-value text k)
  "The value of the digit at an index."
  (let ((char (string-ref text k)))
    (cond ((char<=? #\0 char #\9) (- (char->integer char) 48))
          ((char<=? #\a char #\f) (- (char->integer char) 87))
          ((char<=? #\A char #\F) (- (char->integer char) 55))
          (else
           (error (string "hex-string->bytevector: the character at index " k
                          " is not a hexadecimal digit:")
                  char)))))
