;; fixnums.lisp - what (import (srfi 143)) means: operations on fixnums, the
;; exact integers that need no memory of their own.
;;
;; An argument that is not a fixnum is an error, and so is a result.

(define fx-width
  63)   ; how many bits a fixnum has

(define fx-greatest
  4611686018427387903)   ; the greatest fixnum

(define fx-least
  -4611686018427387904)   ; the least fixnum

(define (fixnum? x)
  "Whether x is a fixnum: an exact integer from fx-least to fx-greatest."
  (and (exact-integer? x) (<= fx-least x fx-greatest)))

(define (%check-fixnum who x)
  "x, which must be a fixnum."
  (if (fixnum? x) x (wrong-type who "a fixnum" x)))

(define (%fixnum-result who x)
  "x, the result of an operation, which must be a fixnum."
  (if (fixnum? x) x (error (string who ": the result is not a fixnum:") x)))

(define (%check-fixnums who items)
  "The items, which must be fixnums."
  (for-each (lambda (x) (%check-fixnum who x)) items)
  items)

(define (%on-fixnums who f i j)
  "(f i j) of fixnums, which must be a fixnum."
  (%check-fixnum who i)
  (%check-fixnum who j)
  (%fixnum-result who (f i j)))

;; Comparison.

(define (fx=? i . others)
  "Whether the fixnums are equal."
  (apply = (%check-fixnums "fx=?" (cons i others))))

(define (fx<? i . others)
  "Whether the fixnums increase."
  (apply < (%check-fixnums "fx<?" (cons i others))))

(define (fx>? i . others)
  "Whether the fixnums decrease."
  (apply > (%check-fixnums "fx>?" (cons i others))))

(define (fx<=? i . others)
  "Whether no fixnum is less than the one before."
  (apply <= (%check-fixnums "fx<=?" (cons i others))))

(define (fx>=? i . others)
  "Whether no fixnum is greater than the one before."
  (apply >= (%check-fixnums "fx>=?" (cons i others))))

(define (fxzero? i)
  "Whether a fixnum is 0."
  (= (%check-fixnum "fxzero?" i) 0))

(define (fxpositive? i)
  "Whether a fixnum is above 0."
  (> (%check-fixnum "fxpositive?" i) 0))

(define (fxnegative? i)
  "Whether a fixnum is below 0."
  (< (%check-fixnum "fxnegative?" i) 0))

(define (fxodd? i)
  "Whether a fixnum is odd."
  (odd? (%check-fixnum "fxodd?" i)))

(define (fxeven? i)
  "Whether a fixnum is even."
  (even? (%check-fixnum "fxeven?" i)))

(define (fxmax i . others)
  "The largest fixnum."
  (apply max (%check-fixnums "fxmax" (cons i others))))

(define (fxmin i . others)
  "The smallest fixnum."
  (apply min (%check-fixnums "fxmin" (cons i others))))

;; Arithmetic.

(define (fx+ i j)
  "The sum of two fixnums."
  (%on-fixnums "fx+" (lambda (i j) (+ i j)) i j))

(define (fx- i j)
  "The difference of two fixnums."
  (%on-fixnums "fx-" (lambda (i j) (- i j)) i j))

(define (fx* i j)
  "The product of two fixnums."
  (%on-fixnums "fx*" (lambda (i j) (* i j)) i j))

(define (fxneg i)
  "The negation of a fixnum."
  (%fixnum-result "fxneg" (- (%check-fixnum "fxneg" i))))

(define (fxquotient i j)
  "The quotient of two fixnums, rounded towards zero."
  (%check-divisor "fxquotient" i j)
  (%on-fixnums "fxquotient" (lambda (i j) (quotient i j)) i j))

(define (fxremainder i j)
  "The remainder of fxquotient, which has the sign of i."
  (%check-divisor "fxremainder" i j)
  (%on-fixnums "fxremainder" (lambda (i j) (remainder i j)) i j))

(define (%check-divisor who i j)
  "Raise an error if j is 0."
  (when (eqv? j 0) (error (string who ": division by zero:") i j)))

(define (fxabs i)
  "The absolute value of a fixnum."
  (%fixnum-result "fxabs" (abs (%check-fixnum "fxabs" i))))

(define (fxsquare i)
  "The square of a fixnum."
  (%fixnum-result "fxsquare" (square (%check-fixnum "fxsquare" i))))

(define (fxsqrt i)
  "The largest fixnum whose square is not above i, and the difference."
  (when (< (%check-fixnum "fxsqrt" i) 0)
    (wrong-type "fxsqrt" "a fixnum from 0" i))
  (exact-integer-sqrt i))

;; With a carry: the low fixnum of a result, and what is above it.

(define (%with-carry who f i j k)
  "Two values: (f i j k) without what does not fit in a fixnum, and how often
  2 to the power of fx-width does not."
  (let ((sum (f (%check-fixnum who i) (%check-fixnum who j) (%check-fixnum who k)))
        (size 9223372036854775808))   ; 2 to the power of fx-width
    (let ((carry (floor-quotient (- sum fx-least) size)))
      (values (- sum (* carry size)) carry))))

(define (fx+/carry i j k)
  "Two values: i + j + k as a fixnum, and the carry, of the value 2^fx-width."
  (%with-carry "fx+/carry" (lambda (i j k) (+ i j k)) i j k))

(define (fx-/carry i j k)
  "Two values: i - j - k as a fixnum, and the carry, of the value 2^fx-width."
  (%with-carry "fx-/carry" (lambda (i j k) (- i j k)) i j k))

(define (fx*/carry i j k)
  "Two values: i j + k as a fixnum, and the carry, of the value 2^fx-width."
  (%with-carry "fx*/carry" (lambda (i j k) (+ (* i j) k)) i j k))

;; Bits.

(define (fxnot i)
  "Every bit inverted."
  (bitwise-not (%check-fixnum "fxnot" i)))

(define (fxand . fixnums)
  "The bits that are set in all of the fixnums."
  (apply bitwise-and (%check-fixnums "fxand" fixnums)))

(define (fxior . fixnums)
  "The bits that are set in any of the fixnums."
  (apply bitwise-ior (%check-fixnums "fxior" fixnums)))

(define (fxxor . fixnums)
  "The bits that are set in an odd number of the fixnums."
  (apply bitwise-xor (%check-fixnums "fxxor" fixnums)))

(define (%check-shift who count)
  "Raise an error unless count is an exact integer below fx-width in size."
  (unless (and (exact-integer? count) (< (abs count) fx-width))
    (wrong-type who "a shift of less than 63 bits" count)))

(define (fxarithmetic-shift i count)
  "i shifted by count bits, upwards if count is positive."
  (%check-fixnum "fxarithmetic-shift" i)
  (%check-shift "fxarithmetic-shift" count)
  (%fixnum-result "fxarithmetic-shift" (arithmetic-shift i count)))

(define (fxarithmetic-shift-left i count)
  "i shifted upwards by count bits."
  (%check-fixnum "fxarithmetic-shift-left" i)
  (%check-index "fxarithmetic-shift-left" count)
  (%check-shift "fxarithmetic-shift-left" count)
  (%fixnum-result "fxarithmetic-shift-left" (arithmetic-shift i count)))

(define (fxarithmetic-shift-right i count)
  "i shifted downwards by count bits."
  (%check-fixnum "fxarithmetic-shift-right" i)
  (%check-index "fxarithmetic-shift-right" count)
  (%check-shift "fxarithmetic-shift-right" count)
  (arithmetic-shift i (- count)))

(define (fxbit-count i)
  "How many bits are set; of a negative fixnum, how many are not."
  (bit-count (%check-fixnum "fxbit-count" i)))

(define (fxlength i)
  "How many bits i has, without the sign that repeats above them."
  (integer-length (%check-fixnum "fxlength" i)))

(define (fxif mask i j)
  "The bits of i where the mask is set, and those of j elsewhere."
  (bitwise-if (%check-fixnum "fxif" mask)
              (%check-fixnum "fxif" i)
              (%check-fixnum "fxif" j)))

(define (%check-bit who index)
  "Raise an error unless index is one of a bit of a fixnum."
  (%check-index who index)
  (unless (< index fx-width)
    (error (string who ": a fixnum has 63 bits, not bit") index)))

(define (fxbit-set? index i)
  "Whether a bit of i is set."
  (%check-bit "fxbit-set?" index)
  (bit-set? index (%check-fixnum "fxbit-set?" i)))

(define (fxcopy-bit index i bit)
  "i with a bit set, or not set if bit is #f."
  (%check-bit "fxcopy-bit" index)
  (%wrapped (copy-bit index (%check-fixnum "fxcopy-bit" i) bit)))

(define (%wrapped n)
  "The fixnum that has the low bits of n, the highest one of them as its sign."
  (if (bit-set? (- fx-width 1) n)
      (bitwise-ior n fx-least)
      (bitwise-and n fx-greatest)))

(define (fxfirst-set-bit i)
  "The index of the lowest bit that is set; -1 if none is."
  (first-set-bit (%check-fixnum "fxfirst-set-bit" i)))

(define (%check-fixnum-field who i start end)
  "Raise an error unless i is a fixnum, and start and end are a field of it."
  (%check-fixnum who i)
  (%check-index who start)
  (%check-index who end)
  (unless (<= start end fx-width)
    (error (string who ": not a field of a fixnum:") start end)))

(define (fxbit-field i start end)
  "The bits from start to end - 1, shifted down."
  (%check-fixnum-field "fxbit-field" i start end)
  (%fixnum-result "fxbit-field" (bit-field i start end)))

(define (fxbit-field-rotate i count start end)
  "i with the bits from start to end - 1 rotated by count bits, upwards if count
  is positive."
  (%check-fixnum-field "fxbit-field-rotate" i start end)
  (%check-fixnum "fxbit-field-rotate" count)
  (%wrapped (bit-field-rotate i count start end)))

(define (fxbit-field-reverse i start end)
  "i with the bits from start to end - 1 in the other order."
  (%check-fixnum-field "fxbit-field-reverse" i start end)
  (%wrapped (bit-field-reverse i start end)))
