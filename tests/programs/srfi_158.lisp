; SRFI 158: generators and accumulators.
(import (srfi 158))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define all generator->list)
(define (numbers n) (make-iota-generator n))
(define (ended? g) (and (eof-object? (g)) (eof-object? (g))))

; Constructors.
(print (all (generator 1 2 3)) (all (generator)) (all (circular-generator 1 2 3) 5) (ended? (generator))) ; => (1 2 3) () (1 2 3 1 2) #t
(print (all (make-iota-generator 3 8)) (all (make-iota-generator 3 8 2)) (all (make-iota-generator 0)) (all (numbers 3))) ; => (8 9 10) (8 10 12) () (0 1 2)
(print (all (make-range-generator 3) 4) (all (make-range-generator 3 8)) (all (make-range-generator 3 8 2)) (all (make-range-generator 3 3))) ; => (3 4 5 6) (3 4 5 6 7) (3 5 7) ()
(print (all (list->generator '(1 2))) (all (vector->generator #(1 2 3 4 5))) (all (vector->generator #(1 2 3 4 5) 2)) (all (vector->generator #(1 2 3 4 5) 2 4))) ; => (1 2) (1 2 3 4 5) (3 4 5) (3 4)
(print (all (reverse-vector->generator #(1 2 3 4 5))) (all (reverse-vector->generator #(1 2 3 4 5) 2)) (all (reverse-vector->generator #(1 2 3 4 5) 1 3))) ; => (5 4 3 2 1) (5 4 3) (3 2)
(print (all (string->generator "abcde")) (all (string->generator "abcde" 2)) (all (string->generator "abcde" 2 4)) (all (bytevector->generator #u8(1 2 3))) (all (bytevector->generator #u8(1 2 3) 1 2))) ; => (a b c d e) (c d e) (c d) (1 2 3) (2)
(define (each items) (make-for-each-generator for-each items))
(print (all (each '(1 2 3))) (all (make-for-each-generator vector-for-each #(4 5))) (ended? (each '()))) ; => (1 2 3) (4 5) #t
(print (all (make-unfold-generator (lambda (s) (> s 5)) (lambda (s) (* s 2)) (lambda (s) (+ s 1)) 0))) ; => (0 2 4 6 8 10)

; Operations.
(print (all (gcons* 'a 'b (numbers 3))) (all (gcons* (numbers 2))) (all (gappend (numbers 3) (numbers 0) (numbers 2))) (all (gappend))) ; => (a b 0 1 2) (0 1) (0 1 2 0 1) ()
(print (all (gflatten (generator '(1) '() '(2 3)))) (all (ggroup (numbers 5) 2)) (all (ggroup (numbers 5) 2 'x)) (all (ggroup (numbers 4) 2 'x))) ; => (1 2 3) ((0 1) (2 3) (4)) ((0 1) (2 3) (4 x)) ((0 1) (2 3))
(print (all (gmerge < (generator 1 4 7))) (all (gmerge < (generator 1 4) (generator 2 3 9) (generator 0 5))) (all (gmerge (lambda (a b) (< (car a) (car b))) (generator '(1 a) '(2 a)) (generator '(1 b))))) ; => (1 4 7) (0 1 2 3 4 5 9) ((1 a) (1 b) (2 a))
(print (all (gmap - (numbers 3))) (all (gmap list (numbers 3) (generator 'a 'b)))) ; => (0 -1 -2) ((0 a) (1 b))
(print (all (gcombine (lambda (x state) (values (+ x state) (+ state 1))) 10 (numbers 3))) (all (gcombine (lambda (x y state) (values (list x y state) x)) 'start (numbers 2) (numbers 5)))) ; => (10 12 14) ((0 0 start) (1 1 0))
(print (all (gfilter odd? (numbers 6))) (all (gremove odd? (numbers 6))) (all (gstate-filter (lambda (x n) (values (< n 3) (+ n 1))) 0 (numbers 9)))) ; => (1 3 5) (0 2 4) (0 1 2)
(print (all (gtake (numbers 5) 3)) (all (gtake (numbers 2) 4)) (all (gtake (numbers 2) 4 'x)) (all (gdrop (numbers 5) 3)) (all (gdrop (numbers 2) 3)) (all (gdrop (numbers 2) 0))) ; => (0 1 2) (0 1) (0 1 x x) (3 4) () (0 1)
(print (all (gtake-while even? (generator 0 2 3 4))) (all (gdrop-while even? (generator 0 2 3 4))) (ended? (gtake-while even? (generator 1 2)))) ; => (0 2) (3 4) #t
(print (all (gdelete 2 (generator 1 2.0 2 3))) (all (gdelete 2 (generator 1 2.0 2 3) =)) (all (gdelete-neighbor-dups (generator 1 1 2 2 1))) (all (gdelete-neighbor-dups (generator "a" "A" "b") string-ci=?)) (all (gdelete-neighbor-dups (generator)))) ; => (1 2.0 3) (1 3) (1 2 1) (a b) ()
(print (all (gindex (list->generator '(a b c d e f)) (generator 0 2 4))) (all (gindex (generator 'a 'b) (generator 1 5))) (all (gselect (list->generator '(a b c)) (generator #t #f 1))) (all (gselect (generator 'a 'b) (generator #t)))) ; => (a c e) (b) (a c) (a)

; Consumers.
(print (generator->list (numbers 5) 3) (generator->list (numbers 2) 3) (generator->reverse-list (numbers 3)) (generator->reverse-list (numbers 5) 2)) ; => (0 1 2) (0 1) (2 1 0) (1 0)
(print (generator->vector (numbers 3)) (generator->vector (numbers 3) 2) (generator->string (generator #\a #\b)) (generator->string (string->generator "abc") 2)) ; => #(0 1 2) #(0 1) ab ab
(define v (vector 1 2 3 4))
(print (generator->vector! v 2 (generator 'a 'b 'c)) v) ; => 2 #(1 2 a b)
(print (generator->vector! v 0 (generator 'z)) v) ; => 1 #(z 2 a b)
(print (generator-fold + 0 (numbers 5)) (generator-fold cons '() (numbers 3)) (generator-fold (lambda (x y sum) (+ sum (* x y))) 0 (numbers 3) (numbers 9))) ; => 10 (2 1 0) 5
(print (generator-map->list - (numbers 3)) (generator-map->list + (numbers 3) (generator 10 20))) ; => (0 -1 -2) (10 21)
(generator-for-each (lambda (x) (display x)) (numbers 3))
(generator-for-each (lambda (x y) (display (list x y))) (numbers 3) (generator 'a))
(newline) ; => 012(0 a)
(print (generator-find odd? (numbers 4)) (generator-find negative? (numbers 4)) (generator-count odd? (numbers 5))) ; => 1 #f 2
(define g (numbers 5))
(print (generator-any (lambda (x) (and (odd? x) (* x 10))) g) (all g) (generator-any odd? (generator))) ; => 10 (2 3 4) #f
(define h (generator 2 3 4))
(print (generator-every even? h) (all h) (generator-every (lambda (x) (* x 2)) (numbers 3)) (generator-every odd? (generator))) ; => #f (4) 4 #t
(print (generator-unfold (numbers 3) unfold) (generator-unfold (string->generator "abc") unfold-right '(end))) ; => (0 1 2) (c b a end)

; Accumulators.
(define (filled accumulator . items) (for-each accumulator items) (accumulator (eof-object)))
(print (filled (make-accumulator * 1 -) 1 2 4) (filled (count-accumulator) 'a 'b) (filled (list-accumulator) 1 2 4) (filled (reverse-list-accumulator) 1 2 4)) ; => -8 2 (1 2 4) (4 2 1)
(print (filled (vector-accumulator) 1 2 4) (filled (reverse-vector-accumulator) 1 2 4) (filled (string-accumulator) #\a #\b) (filled (bytevector-accumulator) 1 2 4)) ; => #(1 2 4) #(4 2 1) ab #u8(1 2 4)
(print (filled (vector-accumulator! (vector 1 2 3 4 5) 2) 'a 'b) (filled (bytevector-accumulator! (bytevector 1 2 3 4 5) 1) 9 8) (filled (sum-accumulator) 1 2 4) (filled (product-accumulator) 1 2 4) (filled (sum-accumulator)) (filled (product-accumulator))) ; => #(1 2 a b 5) #u8(1 9 8 4 5) 7 8 0 1

; Errors.
(print (message (lambda () (gmap - 5))) (message (lambda () (gtake (numbers 2) -1))) (message (lambda () (list->generator 5))) (message (lambda () (vector->generator #(1) 2)))) ; => gmap: expected a generator, got 5 gtake: expected a non-negative exact integer, got -1 list->generator: expected a list, got 5 vector->generator: the start is after the end:
(print (message (lambda () (generator->string (generator 1)))) (message (lambda () ((bytevector-accumulator) 256))) (message (lambda () ((string-accumulator) "a"))) (message (lambda () (all (gindex (numbers 5) (generator 2 1)))))) ; => generator->string: expected a character, got 1 bytevector-accumulator: expected a byte, got 256 string-accumulator: expected a character, got "a" gindex: the index is not above the one before:
(print (message (lambda () (filled (vector-accumulator! (vector 1) 0) 1 2))) (message (lambda () (ggroup (numbers 2) 0)))) ; => vector-accumulator!: index 1 is out of range for length 1 ggroup: expected a positive exact integer, got 0
