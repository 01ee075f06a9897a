;; Integers whose range the compiler knows, and what happens where it ends.

(define most 4611686018427387903)   ; the largest fixnum
(define least -4611686018427387904)

;; Sums and products at the ends of the fixnums.
(define (next flag) (+ (if flag 4611686018427387903 1) 1))
(print (next #t) (next #f))  ; => 4611686018427387904 2
(define (before flag) (- (if flag -4611686018427387904 1) 1))
(print (before #t) (before #f))  ; => -4611686018427387905 0
(define (double flag) (* (if flag 2305843009213693952 1) 2))
(print (double #t) (double #f))  ; => 4611686018427387904 2
(define (opposite flag) (- (if flag -4611686018427387904 1)))
(print (opposite #t) (opposite #f))  ; => 4611686018427387904 -1
(define (size flag) (abs (if flag -4611686018427387904 -1)))
(print (size #t) (size #f))  ; => 4611686018427387904 1
(define (ratio flag) (quotient (if flag -4611686018427387904 7) (if flag -1 2)))
(print (ratio #t) (ratio #f))  ; => 4611686018427387904 3

;; Division rounds as it should for both signs, in loops whose ranges are known.
(define (divide-all divide d)
  (let loop ((n -7) (found '()))
    (if (> n 7) (reverse found) (loop (+ n 7) (cons (divide n d) found)))))
(define (each d)
  (let loop ((n -7) (found '()))
    (if (> n 7)
        (reverse found)
        (loop (+ n 7)
              (cons (list (quotient n d) (remainder n d) (modulo n d)
                          (floor-quotient n d) (bitwise-and n 3))
                    found)))))
(print (each 3))  ; => ((-2 -1 2 -3 1) (0 0 0 0 0) (2 1 1 2 3))
(print (each -3))  ; => ((2 -1 -1 2 1) (0 0 0 0 0) (-2 1 -2 -3 3))
(print (divide-all modulo 4) (divide-all remainder -4))  ; => (1 0 3) (-3 0 3)

;; A hash that stays small, and one that does not.
(define (hash text)
  (let ((n (string-length text)))
    (let loop ((i 0) (h 5381))
      (if (= i n)
          h
          (loop (+ i 1)
                (modulo (+ (* h 33) (char->integer (string-ref text i)))
                        1000000007))))))
(print (hash "integers") (hash ""))  ; => 383035440 5381
(define (large-hash text)
  (let ((n (string-length text)))
    (let loop ((i 0) (h 5381))
      (if (= i n)
          h
          (loop (+ i 1) (+ (* h 33) (char->integer (string-ref text i))))))))
(print (large-hash "integers that grow"))  ; => 11597891723223221195311473072470

;; Shifts and bits.
(define (bits n)
  (let loop ((k 0) (found '()))
    (if (= k 4)
        (reverse found)
        (loop (+ k 1)
              (cons (list (arithmetic-shift k 3) (arithmetic-shift k -1)
                          (arithmetic-shift k n) (bitwise-xor k 5)
                          (bitwise-ior k 8) (bitwise-not k))
                    found)))))
(print (bits 62))  ; => ((0 0 0 5 8 -1) (8 0 4611686018427387904 4 9 -2) (16 1 9223372036854775808 7 10 -3) (24 1 13835058055282163712 6 11 -4))

;; A counter goes down past zero; a comparison bounds it.
(define (down n)
  (let loop ((i 3) (found '()))
    (if (< i -3) found (loop (- i 2) (cons (* i i) found)))))
(print (down 3))  ; => (9 1 1 9)
(define (clamp n) (if (< n 0) 0 (if (> n 255) 255 n)))
(print (map clamp (list -1 0 100 255 256 most least)))  ; => (0 0 100 255 255 255 0)
(print (max (vector-length #(1 2)) 1) (min (string-length "abc") -2))  ; => 2 -2

;; An index is one once it has been used.
(define (neighbours v i)
  (let ((here (vector-ref v i)))
    (list here (vector-ref v (- i 1)) (vector-ref v (+ i 1)))))
(print (neighbours #(a b c) 1))  ; => (b a c)
(define (sum-bytes b)
  (do ((i (- (bytevector-length b) 1) (- i 1))
       (sum 0 (+ sum (bytevector-u8-ref b i))))
      ((< i 0) sum)))
(print (sum-bytes #u8(1 2 250)))  ; => 253
(define b (bytevector 0 0))
(do ((i 0 (+ i 1))) ((= i 2)) (bytevector-u8-set! b i (* 100 (+ i 1))))
(print b)  ; => #u8(100 200)

;; An assigned variable.
(define (assigned n)
  (let ((i 0) (product 1))
    (let loop ()
      (when (< i n)
        (set! i (+ i 1))
        (set! product (* product i))
        (loop)))
    (list i product)))
(print (assigned 25))  ; => (25 15511210043330985984000000)

;; The digits of fixnums, in any radix.
(print (number->string most 2))  ; => 11111111111111111111111111111111111111111111111111111111111111
(print (number->string least 2))  ; => -100000000000000000000000000000000000000000000000000000000000000
(print (map (lambda (r) (number->string -1295 r)) '(3 10 16 36)))  ; => (-1202222 -1295 -50f -zz)
(print most least 0 (+ most 1) (number->string 7))  ; => 4611686018427387903 -4611686018427387904 0 4611686018427387904 7

;; A wrong index reports the index.
(define (ref v i) (vector-ref v (+ i 1)))
(define (failure thunk)
  (guard (e ((error-object? e)
             (cons (error-object-message e) (error-object-irritants e))))
    (thunk)))
(print (failure (lambda () (ref #(1 2) 1))))  ; => (vector-ref: index 2 is out of range for length 2)
(print (failure (lambda () (ref #(1 2) -2))))  ; => (vector-ref: expected a non-negative exact integer, got -1)
(print (failure (lambda () (ref '(1 2) 0))))  ; => (vector-ref: expected a vector, got (1 2))
(print (failure (lambda () (let ((v (make-vector 2 0))) (vector-set! v 2 'x)))))  ; => (vector-set!: index 2 is out of range for length 2)
(define (past-end text) (string-ref text (string-length text)))
(print (failure (lambda () (past-end (string #\a #\b #\c)))))  ; => (string-ref: index 3 is out of range for length 3)
(print (failure (lambda () (bytevector-u8-ref #u8(1) (- (vector-length #()) 1)))))  ; => (bytevector-u8-ref: expected a non-negative exact integer, got -1)
(print (failure (lambda () (bytevector-u8-set! (bytevector 1) 0 256))))  ; => (bytevector-u8-set!: expected a byte, got 256)
(define (left v text) (modulo (vector-length v) (string-length text)))
(print (failure (lambda () (left (vector) (string)))))  ; => (modulo: division by zero)

;; The remainder of an exact integer of any size by a fixnum is a fixnum.
(define (next seed) (modulo (+ (* seed 1103515245) 12345) 2147483648))
(define (random-numbers n seed)
  (let loop ((i 0) (seed (+ n seed)) (found '()))
    (if (= i n) (reverse found) (loop (+ i 1) (next seed) (cons (modulo seed 100) found)))))
(print (random-numbers 8 1))  ; => (9 58 19 56 85 46 11 0)
(print (random-numbers 3 most) (random-numbers 3 least))  ; => (6 87 92) (99 32 61)
(define (rests n d)
  (let ((product (* (+ (vector-length n) most) 12345)) (d (vector-length d)))
    (list (modulo product d) (remainder (- product) d) (floor-remainder (- product) d)
          (truncate-remainder (- product) d) (modulo product (- d)) (remainder (* product product) 97))))
(print (rests #(1 2) #(1 2 3 4 5 6 7)))  ; => (6 -6 1 -6 -1 2)
(print (failure (lambda () (rests #(1) #()))))  ; => (modulo: division by zero)
(define (element v h) (vector-ref v (modulo (* (string-length h) most) (vector-length v))))
(print (element #(a b c) "abcd") (failure (lambda () (element #() "abcd"))))  ; => a (modulo: division by zero)
(define (rest-of x) (modulo (* x 3) 7))
(print (map rest-of (list 5 5.0 most)))  ; => (1 1.0 2)
