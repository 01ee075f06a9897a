;; uuids.lisp - universally unique identifiers, as strings (RFC 9562).

(define (uuid-v4)
  "A new UUID of random bits, which the system supplies."
  (%uuid-of-bytes (%random-uuid-bytes "uuid-v4") 4))

(define (uuid-v7)
  "A new UUID that begins with the time in milliseconds, so that later ones are
  sorted after earlier ones; the other bits are random."
  (let ((bytes (%random-uuid-bytes "uuid-v7")))
    (let loop ((k 5) (time (exact (floor (* 1000 (current-second))))))
      (when (>= k 0)
        (bytevector-u8-set! bytes k (remainder time 256))
        (loop (- k 1) (quotient time 256))))
    (%uuid-of-bytes bytes 7)))

(define (uuid-v5 namespace name)
  "The UUID of a name, a string, in a namespace: 'dns, 'url, 'oid, 'x500 or a
  UUID.  The same names have the same UUID."
  (unless (string? name)
    (wrong-type "uuid-v5" "a string" name))
  (let ((bytes (%digest "uuid-v5" 'sha1
                        (bytevector-append (%namespace-bytes namespace)
                                           (string->utf8 name)))))
    (%uuid-of-bytes (bytevector-copy bytes 0 16) 5)))

(define (uuid? x)
  "Whether it is a string of the form of a UUID, in either case."
  (and (string? x)
       (= (string-length x) 36)
       (let loop ((k 0))
         (or (= k 36)
             (and (if (memv k '(8 13 18 23))
                      (char=? (string-ref x k) #\-)
                      (%hexadecimal-digit? (string-ref x k)))
                  (loop (+ k 1)))))))

(define (uuid-version uuid)
  "The version of a UUID, from 0 to 15."
  (quotient (bytevector-u8-ref (%uuid-bytes "uuid-version" uuid) 6) 16))

(define (uuid->bytevector uuid)
  "The 16 bytes of a UUID."
  (%uuid-bytes "uuid->bytevector" uuid))

(define (bytevector->uuid bytes)
  "The UUID of 16 bytes, in lower case."
  (unless (and (bytevector? bytes) (= (bytevector-length bytes) 16))
    (wrong-type "bytevector->uuid" "a bytevector of 16 bytes" bytes))
  (let ((digits (bytevector->hex-string bytes)))
    (string-append (substring digits 0 8) "-" (substring digits 8 12) "-"
                   (substring digits 12 16) "-" (substring digits 16 20) "-"
                   (substring digits 20 32))))

(define %uuid-namespaces
  '((dns . "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
    (url . "6ba7b811-9dad-11d1-80b4-00c04fd430c8")
    (oid . "6ba7b812-9dad-11d1-80b4-00c04fd430c8")
    (x500 . "6ba7b814-9dad-11d1-80b4-00c04fd430c8")))

(define (%namespace-bytes namespace)
  "The bytes of a namespace."
  (let ((known (assq namespace %uuid-namespaces)))
    (cond (known (%uuid-bytes "uuid-v5" (cdr known)))
          ((uuid? namespace) (%uuid-bytes "uuid-v5" namespace))
          (else
           (wrong-type "uuid-v5" "dns, url, oid, x500 or a UUID" namespace)))))

(define (%hexadecimal-digit? char)
  (or (char<=? #\0 char #\9) (char<=? #\a char #\f) (char<=? #\A char #\F)))

(define (%uuid-bytes who uuid)
  "The bytes of a UUID."
  (unless (uuid? uuid)
    (wrong-type who "a UUID" uuid))
  (hex-string->bytevector (string-replace uuid "-" "")))

(define (%random-uuid-bytes who)
  "16 random bytes."
  (or (%bytes-call 'random 16 #f #f)
      (error (string who ": the system has no random bytes"))))

(define (%uuid-of-bytes bytes version)
  "The UUID of bytes in which the version, and the variant, are set."
  (bytevector-u8-set! bytes 6 (+ (* 16 version)
                                 (remainder (bytevector-u8-ref bytes 6) 16)))
  (bytevector-u8-set! bytes 8 (+ 128 (remainder (bytevector-u8-ref bytes 8)
                                                64)))
  (bytevector->uuid bytes))
