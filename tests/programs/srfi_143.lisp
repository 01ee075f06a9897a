; SRFI 143: fixnums.
(import (srfi 143))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))

(print fx-width (= fx-greatest (- (expt 2 (- fx-width 1)) 1)) (= fx-least (- (expt 2 (- fx-width 1))))) ; => 63 #t #t
(print (map fixnum? (list 32767 fx-greatest fx-least (+ fx-greatest 1) (- fx-least 1) 1.0 'a))) ; => (#t #t #t #f #f #f #f)

; Comparison.
(print (fx=? 1 1 1) (fx=? 1 2 2) (fx=? 1 1 2) (fx<? 1 2 3) (fx<? 1 1 2) (fx>? 3 2 1) (fx>? 2 1 1)) ; => #t #f #f #t #f #t #f
(print (fx<=? 1 1 2) (fx<=? 1 2 1) (fx>=? 2 1 1) (fx>=? 1 2 1)) ; => #t #f #t #f
(print (map fxzero? '(0 1)) (map fxpositive? '(1 0 -1)) (map fxnegative? '(1 0 -1)) (map fxodd? '(0 -1)) (map fxeven? '(0 -1))) ; => (#t #f) (#t #f #f) (#f #f #t) (#f #t) (#t #f)
(print (fxmax 3 4) (fxmax 3 5 4) (fxmin 3 4) (fxmin 3 5 1)) ; => 4 5 3 1

; Arithmetic.
(print (fx+ 3 4) (fx- 3 4) (fx* 4 3) (fxneg 3) (fxquotient 17 5) (fxquotient -17 5) (fxremainder 13 4) (fxremainder -13 4)) ; => 7 -1 12 -3 3 -3 1 -1
(print (fxabs -7) (fxabs 7) (fxsquare 42) (fxsquare -2) (values-of (fxsqrt 17)) (values-of (fxsqrt 4))) ; => 7 7 1764 4 (4 1) (2 0)
(print (= fx-greatest (fx+ fx-greatest 0)) (= fx-least (fx- (fxneg fx-greatest) 1))) ; => #t #t
(print (message (lambda () (fx+ fx-greatest 1))) (message (lambda () (fx* fx-least -1))) (message (lambda () (fxneg fx-least))) (message (lambda () (fxabs fx-least))) (message (lambda () (fxquotient fx-least -1)))) ; => fx+: the result is not a fixnum: fx*: the result is not a fixnum: fxneg: the result is not a fixnum: fxabs: the result is not a fixnum: fxquotient: the result is not a fixnum:
(print (message (lambda () (fx+ 1.0 2))) (message (lambda () (fx- 1 (+ fx-greatest 1)))) (message (lambda () (fxquotient 1 0))) (message (lambda () (fxsqrt -1)))) ; => fx+: expected a fixnum, got 1.0 fx-: expected a fixnum, got 4611686018427387904 fxquotient: division by zero: fxsqrt: expected a fixnum from 0, got -1

; Carries: r + q * 2^fx-width is the exact result.
(define (whole values) (+ (car values) (* (cadr values) (expt 2 fx-width))))
(define-syntax exactly?
  (syntax-rules ()
    ((_ operation i j k expected)
     (let ((found (values-of (operation i j k)))) (and (fixnum? (car found)) (= (whole found) expected))))))
(print (values-of (fx+/carry 1 2 3)) (values-of (fx-/carry 1 2 3)) (values-of (fx*/carry 4 5 6))) ; => (6 0) (-4 0) (26 0)
(print (exactly? fx+/carry fx-greatest fx-greatest 1 (+ fx-greatest fx-greatest 1)) (exactly? fx-/carry fx-least fx-greatest 1 (- fx-least fx-greatest 1)) (exactly? fx*/carry fx-greatest fx-greatest fx-greatest (* fx-greatest (+ fx-greatest 1))) (exactly? fx*/carry fx-least fx-greatest 3 (+ 3 (* fx-least fx-greatest)))) ; => #t #t #t #t
(print (values-of (fx+/carry fx-greatest 1 0))) ; => (-4611686018427387904 1)

; Bits.
(print (fxnot 10) (fxnot -37) (fxand #b0011 #b0101) (fxior 14 1) (fxior 3 10) (fxxor #b0011 #b0101) (fxand) (fxior) (fxxor)) ; => -11 36 1 15 11 6 -1 0 0
(print (fxarithmetic-shift 1 1) (fxarithmetic-shift 2 -1) (fxarithmetic-shift -10 -1) (fxarithmetic-shift-left 1 2) (fxarithmetic-shift-right -10 1) (fxarithmetic-shift-right 9 62)) ; => 2 1 -5 4 -5 0
(print (fxbit-count 12) (fxbit-count -1) (fxlength 0) (fxlength 128) (fxlength 255) (fxlength -1) (fxlength fx-greatest)) ; => 2 0 0 8 8 0 62
(print (fxif 1 1 2) (fxif 60 #b11110000 #b00001111) (fxbit-set? 3 10) (fxbit-set? 0 6) (fxbit-set? 62 -1)) ; => 3 51 #t #f #t
(print (fxcopy-bit 0 0 #t) (fxcopy-bit 3 15 #f) (fxcopy-bit 0 -1 #f) (fxcopy-bit 62 0 #t) (fxcopy-bit 62 -1 #f)) ; => 1 7 -2 -4611686018427387904 4611686018427387903
(print (map fxfirst-set-bit '(1 2 0 40 -28)) (fxfirst-set-bit fx-least)) ; => (0 1 -1 3 2) 62
(print (fxbit-field 6 0 1) (fxbit-field 6 1 3) (fxbit-field-rotate #b110 1 1 2) (fxbit-field-rotate #b110 1 2 4) (fxbit-field-rotate #b0111 -1 1 4) (fxbit-field-rotate #b110 0 0 10)) ; => 0 3 6 10 11 6
(print (fxbit-field-reverse 6 0 3) (fxbit-field-reverse 6 1 3) (fxbit-field-reverse 1 0 63) (fxbit-field-rotate 1 62 0 63)) ; => 3 6 -4611686018427387904 -4611686018427387904
(print (message (lambda () (fxarithmetic-shift 1 63))) (message (lambda () (fxarithmetic-shift-left 1 -1))) (message (lambda () (fxarithmetic-shift-right 1 -1)))) ; => fxarithmetic-shift: expected a shift of less than 63 bits, got 63 fxarithmetic-shift-left: expected a non-negative exact integer, got -1 fxarithmetic-shift-right: expected a non-negative exact integer, got -1
(print (message (lambda () (fxcopy-bit 63 1 #t))) (message (lambda () (fxbit-field 1 3 2))) (message (lambda () (fxbit-field 1 0 64))) (message (lambda () (fxarithmetic-shift-left 1 62)))) ; => fxcopy-bit: a fixnum has 63 bits, not bit fxbit-field: not a field of a fixnum: fxbit-field: not a field of a fixnum: fxarithmetic-shift-left: the result is not a fixnum:
(print (message (lambda () (fxnot 1.5))) (message (lambda () (fxand 1 'a))) (message (lambda () (fxlength (+ fx-greatest 1))))) ; => fxnot: expected a fixnum, got 1.5 fxand: expected a fixnum, got a fxlength: expected a fixnum, got 4611686018427387904
