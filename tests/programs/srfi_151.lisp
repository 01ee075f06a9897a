; SRFI 151: operations on the bits of integers.
(import (srfi 151))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define big (expt 2 100))

; Boolean operations.
(print (bitwise-not 10) (bitwise-not -37) (bitwise-and 11 26) (bitwise-ior 3 10) (bitwise-xor 3 10)) ; => -11 36 10 11 9
(print (bitwise-eqv 37 12) (bitwise-eqv) (bitwise-eqv 7) (bitwise-eqv 5 6 7)) ; => -42 -1 7 4
(print (bitwise-nand 11 26) (bitwise-nor 11 26) (bitwise-andc1 11 26) (bitwise-andc2 11 26) (bitwise-orc1 11 26) (bitwise-orc2 11 26)) ; => -11 -28 16 1 -2 -17
(print (bitwise-and) (bitwise-ior) (bitwise-xor) (apply bitwise-ior '(1 2 4))) ; => -1 0 0 7
(print (bitwise-if 3 1 8) (bitwise-if 3 8 1) (bitwise-if 1 1 2) (bitwise-if 60 #b11110000 #b00001111)) ; => 9 0 3 51

; Integers as a whole.
(print (arithmetic-shift 8 2) (arithmetic-shift 4 0) (arithmetic-shift 8 -1) (arithmetic-shift -100000000000000000000000000000000 -100)) ; => 32 4 4 -79
(print (map bit-count '(0 1 3 7 -1 -2 -30))) ; => (0 1 2 3 0 1 4)
(print (map integer-length '(0 1 -1 7 -7 8 -8 127 128 -128 -129)) (integer-length big) (integer-length (- big)) (integer-length (- big 1))) ; => (0 1 0 3 3 4 3 7 8 7 8) 101 100 100
(print (map first-set-bit '(1 2 0 40 -28 -1)) (first-set-bit big) (first-set-bit (* 99 big))) ; => (0 1 -1 3 2 0) 100 100

; Single bits.
(print (bit-set? 1 1) (bit-set? 0 1) (bit-set? 3 10) (bit-set? 2 6) (bit-set? 0 6) (bit-set? 1000 -1) (bit-set? 100 big)) ; => #f #t #t #t #f #t #t
(print (copy-bit 0 0 #t) (copy-bit 2 0 #t) (copy-bit 2 #b1111 #f) (copy-bit 100 0 #t)) ; => 1 4 11 1267650600228229401496703205376
(print (bit-swap 0 2 4) (bit-swap 0 1 2) (bit-swap 1 1 2) (bit-swap 0 100 1)) ; => 1 1 2 1267650600228229401496703205376
(print (any-bit-set? 3 6) (any-bit-set? 3 12) (every-bit-set? 4 6) (every-bit-set? 7 6)) ; => #t #f #t #f

; Fields.
(print (bit-field #b1101101010 0 4) (bit-field #b1101101010 3 9) (bit-field #b1101101010 4 9) (bit-field #b1101101010 4 10) (bit-field 6 1 1) (bit-field -1 2 5)) ; => 10 45 22 54 0 7
(print (bit-field-any? #b1001001 1 6) (bit-field-any? #b1000001 1 6) (bit-field-every? #b1011110 1 5) (bit-field-every? #b1011010 1 5) (bit-field-any? 1 0 0) (bit-field-every? 0 0 0)) ; => #t #f #t #f #f #t
(print (bit-field-clear #b101010 1 4) (bit-field-set #b101010 1 4)) ; => 32 46
(print (bit-field-replace #b101010 #b010 1 4) (bit-field-replace #b110 1 0 1) (bit-field-replace #b110 1 1 2)) ; => 36 7 6
(print (bit-field-replace-same #b1111 #b0000 1 3) (bit-field-replace-same #b111000 #b000111 2 5)) ; => 9 36
(print (bit-field-rotate #b110 0 0 10) (bit-field-rotate #b110 1 1 2) (bit-field-rotate #b110 1 2 4) (bit-field-rotate #b0111 -1 1 4) (bit-field-rotate 6 9 3 3) (bit-field-rotate 1 131 0 64)) ; => 6 6 10 11 6 8
(print (bit-field-reverse 6 0 3) (bit-field-reverse 6 1 3) (bit-field-reverse 1 0 32) (bit-field-reverse 6 2 2) (bit-field-reverse -2 0 3)) ; => 3 6 2147483648 6 -5

; Lists, vectors and booleans.
(print (bits->list #b1110101) (bits->list 3 5) (bits->list 6 2) (bits->list 0) (bits->list 5 0)) ; => (#t #f #t #f #t #t #t) (#t #t #f #f #f) (#f #t) () ()
(print (list->bits '(#t #f #t #f #t #t #t)) (list->bits '(#f #f #t #f #t #f #t #t #t)) (list->bits '())) ; => 117 468 0
(print (bits->vector #b1110101) (bits->vector #b00011010100 9) (vector->bits #(#t #f #t #f #t #t #t #f #f)) (vector->bits #())) ; => #(#t #f #t #f #t #t #t) #(#f #f #t #f #t #f #t #t #f) 117 0
(print (bits #t #f #t #f #t #t #t) (bits #f #f #t) (bits)) ; => 117 4 0
(print (= big (list->bits (bits->list big))) (length (bits->list big))) ; => #t 101

; Folds and generators.
(print (bitwise-fold cons '() #b1010111)) ; => (#t #f #t #f #t #t #t)
(define count 0)
(bitwise-for-each (lambda (b) (when b (set! count (+ count 1)))) #b1010111)
(print count) ; => 5
(print (bitwise-unfold (lambda (i) (= i 10)) even? (lambda (i) (+ i 1)) 0) (bitwise-unfold (lambda (i) #t) even? list 0)) ; => 341 0
(define g (make-bitwise-generator #b110))
(print (list-tabulate 5 (lambda (k) (g)))) ; => (#f #t #t #f #f)
(define ones (make-bitwise-generator -2))
(print (list-tabulate 3 (lambda (k) (ones)))) ; => (#f #t #t)

; Errors.
(print (message (lambda () (integer-length 1.5))) (message (lambda () (bit-set? -1 2)))) ; => integer-length: expected an exact integer, got 1.5 bit-set?: expected a non-negative exact integer, got -1
(print (message (lambda () (bit-field 5 3 2))) (message (lambda () (bit-field 'a 0 2)))) ; => bit-field: the field ends before its start: bit-field: expected an exact integer, got a
(print (message (lambda () (list->bits 5))) (message (lambda () (vector->bits '(#t)))) (message (lambda () (bits->list "6")))) ; => list->bits: expected a list, got 5 vector->bits: expected a vector, got (#t) bits->list: expected an exact integer, got "6"
