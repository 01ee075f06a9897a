; Constants that meet only in C: executables must not compute with its 32-bit int.
; Nothing folds them before, because each is the value of a body that does something else first.

(define (tick) (display ""))
(define-syntax define-constant
  (syntax-rules () ((_ name n) (define-syntax name (syntax-rules () ((_) ((lambda () (tick) n))))))))
(define g0 1)
(set! g0 2)
(define-constant million2 2000000000)
(define-constant most 2147483647)
(define-constant least -2147483648)
(define-constant two16 65536)
(define-constant one 1)
(define-constant minus-one -1)
(define-constant thirty-one 31)
(define-constant half 0.5)
(define-constant three 3)

; ---- + - * ----
(define (days d) (* ((lambda () (tick) 86400000)) 365))
(print (days 1))                                          ; => 31536000000
(print (+ (million2) (million2)))                         ; => 4000000000
(print (- (- (million2)) (million2)))                     ; => -4000000000
(print (* (million2) 3))                                  ; => 6000000000
(print (* (two16) (two16)))                               ; => 4294967296
(print (* (two16) (two16) (two16) 16384))                 ; => 4611686018427387904
(print (+ (most) (one)) (- (least) (one)))                ; => 2147483648 -2147483649
(print (- (least)) (abs (least)))                         ; => 2147483648 2147483648
(print (+ (most) (most) (most)))                          ; => 6442450941
(print (+ (* (most) (most)) (* (least) (least))))         ; => 9223372032559808513
(print (let ((f (lambda (w) 2147483647))) (+ (f g0) (f 1))))  ; => 4294967294

; ---- quotients, shifts, bits ----
(print (quotient (least) (minus-one)))                    ; => 2147483648
(print (modulo (least) (minus-one)) (remainder (least) 7)); => 0 -2
(print (arithmetic-shift (one) (thirty-one)))             ; => 2147483648
(print (arithmetic-shift (minus-one) (+ (thirty-one) (thirty-one))))  ; => -4611686018427387904
(print (arithmetic-shift (million2) (three)))             ; => 16000000000
(print (bitwise-and (+ (most) (most)) (+ (most) (one))))  ; => 2147483648
(print (bitwise-ior (least) (+ (most) (one))))             ; => -2147483648
(print (bitwise-xor (+ (most) (one)) (least)))            ; => -4294967296
(print (bitwise-not (+ (most) (most))))                   ; => -4294967295

; ---- tests ----
(print (if (> (+ (million2) (million2)) 0) 'positive 'negative))  ; => positive
(print (if (< (* (least) (three)) (least)) 'less 'more))  ; => less
(print (= (+ (most) (one)) (- (least))))                  ; => #t
(print (even? (+ (most) (most))) (odd? (* (most) (most))) (zero? (* (two16) (two16))))
; => #t #t #f
(print (max (+ (most) (one)) (most)) (min (- (least) (one)) (least)))  ; => 2147483648 -2147483649

; ---- doubles that integers become ----
(print (/ (one) (three)) (* (half) (three)) (+ (most) (half)))  ; => 1/3 1.5 2147483647.5
(print (* (+ (most) (most)) (half)))                      ; => 2147483647.0
(print (exact->inexact (* (most) (most))))                ; => 4611686014132420600.0
(print (/ (exact->inexact (one)) (three)))                ; => 0.3333333333333333
(print (sqrt (exact->inexact (* (two16) (two16)))))       ; => 65536.0

; ---- indices and counts ----
(define v (vector 'a 'b 'c))
(print (vector-ref v (- (+ (most) (one)) (most))))        ; => b
(print (vector-ref v (quotient (+ (most) (most)) (most))))  ; => c
(define (sum-to n step)
  (let loop ((i 0) (sum 0)) (if (> i n) sum (loop (+ i step) (+ sum i)))))
(print (sum-to (* (two16) (two16)) (+ (most) (one))))     ; => 6442450944
(print (do ((i (- (most) 2) (+ i (one))) (n 0 (+ n 1))) ((> i (+ (most) 2)) n)))  ; => 5

; ---- the ends of fixnums ----
(define-constant top 4611686018427387903)
(define-constant bottom -4611686018427387904)
(print (+ (top) (one)) (- (bottom) (one)))  ; => 4611686018427387904 -4611686018427387905
(print (- (bottom)) (* (bottom) (minus-one)) (quotient (bottom) (minus-one)))
; => 4611686018427387904 4611686018427387904 4611686018427387904
(print (+ (top) (bottom)) (- (top) (bottom)) (* (top) 2))
; => -1 9223372036854775807 9223372036854775806
(print (abs (bottom)) (max (top) (bottom)))               ; => 4611686018427387904 4611686018427387903
