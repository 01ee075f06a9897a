;; bitwise.lisp - what (import (srfi 151)) adds: operations on the bits of exact
;; integers.
;;
;; An integer stands for its bits in two's complement, without an end; bit 0 is
;; the lowest.  A field from start to end has the bits start, ..., end - 1.

(define (%check-bits who x)
  "Raise an error unless x is an exact integer."
  (unless (exact-integer? x) (wrong-type who "an exact integer" x)))

(define (%check-field who n start end)
  "Raise an error unless n is an exact integer, and start and end are a field."
  (%check-bits who n)
  (%check-index who start)
  (%check-index who end)
  (when (< end start)
    (error (string who ": the field ends before its start:") start end)))

(define (%ones count)
  "The integer of that many bits, all set."
  (- (arithmetic-shift 1 count) 1))

(define (%field-mask start end)
  "The integer of which the bits of a field are set."
  (arithmetic-shift (%ones (- end start)) start))

;; Boolean operations on all bits.

(define (bitwise-eqv . integers)
  "The bits that are equal, from left to right: (bitwise-eqv 5 6) is -4."
  (fold (lambda (n result) (bitwise-not (bitwise-xor result n))) -1 integers))

(define (bitwise-nand i j)
  "The bits that are not set in both."
  (bitwise-not (bitwise-and i j)))

(define (bitwise-nor i j)
  "The bits that are set in neither."
  (bitwise-not (bitwise-ior i j)))

(define (bitwise-andc1 i j)
  "The bits that are set in j and not in i."
  (bitwise-and (bitwise-not i) j))

(define (bitwise-andc2 i j)
  "The bits that are set in i and not in j."
  (bitwise-and i (bitwise-not j)))

(define (bitwise-orc1 i j)
  "The bits that are set in j, or not in i."
  (bitwise-ior (bitwise-not i) j))

(define (bitwise-orc2 i j)
  "The bits that are set in i, or not in j."
  (bitwise-ior i (bitwise-not j)))

(define (bitwise-if mask i j)
  "The bits of i where the mask is set, and those of j elsewhere."
  (bitwise-ior (bitwise-and mask i) (bitwise-and (bitwise-not mask) j)))

;; Integers as a whole.

(define (integer-length i)
  "How many bits i has, without the sign that repeats above them:
  (integer-length 8) is 4, (integer-length -8) is 3."
  (%check-bits "integer-length" i)
  (let* ((n (if (negative? i) (bitwise-not i) i))
         (digits (number->string n 16)))   ; linear, unlike a shift for each bit
    (+ (* 4 (- (string-length digits) 1))
       (let ((first (string->number (string (string-ref digits 0)) 16)))
         (cond ((= first 0) 0) ((< first 2) 1) ((< first 4) 2) ((< first 8) 3)
               (else 4))))))

(define (first-set-bit i)
  "The index of the lowest bit that is set; -1 if none is."
  (%check-bits "first-set-bit" i)
  (if (= i 0) -1 (- (bit-count (bitwise-xor i (- i 1))) 1)))

;; Single bits.

(define (bit-set? index i)
  "Whether a bit of i is set."
  (%check-index "bit-set?" index)
  (%check-bits "bit-set?" i)
  (odd? (arithmetic-shift i (- index))))

(define (copy-bit index i bit)
  "i with a bit set, or not set if bit is #f."
  (%check-index "copy-bit" index)
  (%check-bits "copy-bit" i)
  (let ((mask (arithmetic-shift 1 index)))
    (if bit (bitwise-ior i mask) (bitwise-and i (bitwise-not mask)))))

(define (bit-swap index1 index2 i)
  "i with two bits exchanged."
  (%check-index "bit-swap" index1)
  (%check-index "bit-swap" index2)
  (%check-bits "bit-swap" i)
  (let ((one (bit-set? index1 i)) (other (bit-set? index2 i)))
    (copy-bit index1 (copy-bit index2 i one) other)))

(define (any-bit-set? test-bits i)
  "Whether i has any of the bits that are set in test-bits."
  (not (= (bitwise-and test-bits i) 0)))

(define (every-bit-set? test-bits i)
  "Whether i has all the bits that are set in test-bits."
  (= (bitwise-and test-bits i) test-bits))

;; Fields.

(define (bit-field i start end)
  "The bits of a field, shifted down: (bit-field 13 2 4) is 3."
  (%check-field "bit-field" i start end)
  (bitwise-and (arithmetic-shift i (- start)) (%ones (- end start))))

(define (bit-field-any? i start end)
  "Whether any bit of a field is set."
  (%check-field "bit-field-any?" i start end)
  (any-bit-set? (%field-mask start end) i))

(define (bit-field-every? i start end)
  "Whether every bit of a field is set."
  (%check-field "bit-field-every?" i start end)
  (every-bit-set? (%field-mask start end) i))

(define (bit-field-clear i start end)
  "i without the bits of a field."
  (%check-field "bit-field-clear" i start end)
  (bitwise-and i (bitwise-not (%field-mask start end))))

(define (bit-field-set i start end)
  "i with all the bits of a field."
  (%check-field "bit-field-set" i start end)
  (bitwise-ior i (%field-mask start end)))

(define (bit-field-replace dest source start end)
  "dest with the lowest bits of source in a field."
  (%check-field "bit-field-replace" dest start end)
  (%check-bits "bit-field-replace" source)
  (bitwise-if (%field-mask start end) (arithmetic-shift source start) dest))

(define (bit-field-replace-same dest source start end)
  "dest with the same field of source."
  (%check-field "bit-field-replace-same" dest start end)
  (%check-bits "bit-field-replace-same" source)
  (bitwise-if (%field-mask start end) source dest))

(define (bit-field-rotate i count start end)
  "i with a field rotated by count bits, upwards if count is positive."
  (%check-field "bit-field-rotate" i start end)
  (%check-bits "bit-field-rotate" count)
  (if (= start end)
      i
      (let* ((width (- end start))
             (up (floor-remainder count width))
             (field (bit-field i start end)))
        (bit-field-replace
         i
         (bitwise-ior (arithmetic-shift field up)
                      (arithmetic-shift field (- up width)))
         start
         end))))

(define (bit-field-reverse i start end)
  "i with the bits of a field in the other order."
  (%check-field "bit-field-reverse" i start end)
  (bit-field-replace
   i
   (list->bits (reverse (bits->list (bit-field i start end) (- end start))))
   start
   end))

;; Bits as booleans, the lowest first.

(define (%bit-digits who n options)
  "The bits of n in binary, the highest first: as many as the option says, or as
  n has."
  (%check-bits who n)
  (let ((length (%optional who 1 options #f)))
    (when length (%check-index who length))
    (let* ((count (or length (integer-length n)))
           ;; A bit above them keeps the zeros and drops the sign.
           (bits (bitwise-ior (bitwise-and n (%ones count))
                              (arithmetic-shift 1 count))))
      (cdr (string->list (number->string bits 2))))))

(define (bits->list i . length)
  "The list of the bits of i as booleans, the lowest first: as many as length
  says, or as i has.  (bits->list 6) is (#f #t #t)."
  (reverse (map (lambda (digit) (char=? digit #\1))
                (%bit-digits "bits->list" i length))))

(define (bits->vector i . length)
  "bits->list as a vector."
  (list->vector (reverse (map (lambda (digit) (char=? digit #\1))
                              (%bit-digits "bits->vector" i length)))))

(define (list->bits booleans)
  "The integer of the bits in a list of booleans, the lowest first."
  (%check-list "list->bits" booleans)
  (if (null? booleans)
      0
      (string->number
       (list->string (reverse (map (lambda (bit) (if bit #\1 #\0)) booleans)))
       2)))

(define (vector->bits booleans)
  "The integer of the bits in a vector of booleans, the lowest first."
  (unless (vector? booleans) (wrong-type "vector->bits" "a vector" booleans))
  (list->bits (vector->list booleans)))

(define (bits . booleans)
  "The integer of the bits, the lowest first: (bits #t #f #t) is 5."
  (list->bits booleans))

(define (bitwise-fold f initial i)
  "(f bit result) for each bit of i as a boolean, the lowest first; the result
  at first is initial."
  (%check-bits "bitwise-fold" i)
  (fold f initial (bits->list i)))

(define (bitwise-for-each f i)
  "Call f on each bit of i as a boolean, the lowest first."
  (%check-bits "bitwise-for-each" i)
  (for-each f (bits->list i)))

(define (bitwise-unfold stop? mapper successor seed)
  "The integer of the bits (mapper seed), (mapper (successor seed)) ..., the
  lowest first, until (stop? seed) is true."
  (let loop ((seed seed) (bits '()))
    (if (stop? seed)
        (list->bits (reverse bits))
        (loop (successor seed) (cons (mapper seed) bits)))))

(define (make-bitwise-generator i)
  "A procedure that returns the next bit of i as a boolean at each call, the
  lowest first.  It never ends: the sign repeats."
  (%check-bits "make-bitwise-generator" i)
  (lambda ()
    (let ((bit (odd? i)))
      (set! i (arithmetic-shift i -1))
      bit)))
