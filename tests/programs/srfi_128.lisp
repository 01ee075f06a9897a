; SRFI 128: comparators.
(import (srfi 128))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define default (make-default-comparator))
(define texts (make-comparator string? string=? string<? string-hash))
(define folded (make-comparator string? string-ci=? string-ci<? string-ci-hash))
(define numbers (make-comparator real? = < number-hash))
(define unordered (make-comparator symbol? symbol=? #f symbol-hash))
(define bare (make-comparator char? char=? char<? #f))

; Predicates and accessors.
(print (map comparator? (list default texts 1 car))) ; => (#t #t #f #f)
(print (map comparator-ordered? (list default texts unordered bare)) (map comparator-hashable? (list default texts unordered bare))) ; => (#t #t #f #t) (#t #t #t #f)
(print (eq? string? (comparator-type-test-predicate texts)) (eq? string=? (comparator-equality-predicate texts)) (eq? string<? (comparator-ordering-predicate texts)) (eq? string-hash (comparator-hash-function texts))) ; => #t #t #t #t
(print (message (lambda () ((comparator-ordering-predicate unordered) 'a 'b)))) ; => comparator-ordering-predicate: the comparator has no order
(print (message (lambda () ((comparator-hash-function bare) #\a)))) ; => comparator-hash-function: the comparator has no hash function

; Application.
(print (comparator-test-type texts "a") (comparator-test-type texts 'a) (comparator-check-type texts "a")) ; => #t #f #t
(print (message (lambda () (comparator-check-type texts 'a)))) ; => comparator-check-type: the comparator cannot compare:
(print (= (comparator-hash folded "aB") (comparator-hash folded "Ab")) (= (comparator-hash texts "aB") (comparator-hash texts "Ab"))) ; => #t #f
(print (message (lambda () (comparator-hash bare #\a)))) ; => comparator-hash: the comparator has no hash function

; Comparisons of two and more values.
(print (=? folded "a" "A") (=? folded "a" "A" "b") (=? texts "a" "A") (=? numbers 1 1.0 2/2)) ; => #t #f #f #t
(print (<? numbers 1 2) (<? numbers 1 2 3) (<? numbers 1 3 3) (<? numbers 2 1)) ; => #t #t #f #f
(print (>? numbers 2 1) (>? numbers 3 2 1) (>? numbers 3 3 1) (>? numbers 1 2)) ; => #t #t #f #f
(print (<=? numbers 1 1 2) (<=? numbers 1 2 1) (>=? numbers 2 1 1) (>=? numbers 2 1 2)) ; => #t #f #t #f
(print (message (lambda () (<? unordered 'a 'b))) (message (lambda () (>=? unordered 'a 'b)))) ; => <?: the comparator has no order >=?: the comparator has no order
(print (map (lambda (x) (comparator-if<=> numbers x 2 'less 'equal 'greater)) '(1 2 3))) ; => (less equal greater)
(print (map (lambda (x) (comparator-if<=> x "b" 'less 'equal 'greater)) '("a" "b" b))) ; => (less equal greater)

; Compound comparators.
(define pairs (make-pair-comparator numbers folded))
(print (comparator-test-type pairs '(1 . "a")) (comparator-test-type pairs '(1 . a)) (comparator-test-type pairs 1)) ; => #t #f #f
(print (=? pairs '(1 . "a") '(1.0 . "A")) (<? pairs '(1 . "b") '(2 . "a")) (<? pairs '(1 . "a") '(1 . "B")) (<? pairs '(1 . "b") '(1 . "a"))) ; => #t #t #t #f
(print (= (comparator-hash pairs '(1 . "a")) (comparator-hash pairs '(1.0 . "A")))) ; => #t
(print (comparator-ordered? (make-pair-comparator numbers unordered)) (comparator-hashable? (make-pair-comparator numbers bare))) ; => #f #f
(define lists (make-list-comparator numbers list? null? car cdr))
(print (comparator-test-type lists '(1 2)) (comparator-test-type lists '(1 a)) (comparator-test-type lists 5)) ; => #t #f #f
(print (=? lists '(1 2) '(1 2.0)) (=? lists '(1 2) '(1)) (=? lists '() '(1)) (=? lists '() '())) ; => #t #f #f #t
(print (<? lists '(1 2) '(1 3)) (<? lists '(1) '(1 0)) (<? lists '() '(1)) (<? lists '(2) '(1 5)) (<? lists '(1 2) '(1 2))) ; => #t #t #t #f #f
(print (= (comparator-hash lists '(1 2)) (comparator-hash lists '(1.0 2)))) ; => #t
(define vectors (make-vector-comparator numbers vector? vector-length vector-ref))
(print (comparator-test-type vectors #(1 2)) (comparator-test-type vectors #(1 a)) (comparator-test-type vectors '(1))) ; => #t #f #f
(print (=? vectors #(1 2) #(1 2.0)) (=? vectors #(1) #(1 2)) (<? vectors #(9) #(1 2)) (<? vectors #(1 2) #(1 3)) (<? vectors #(1 3) #(1 3))) ; => #t #f #t #t #f
(print (= (comparator-hash vectors #(1 2)) (comparator-hash vectors #(1.0 2)))) ; => #t
(print (comparator-ordered? (make-list-comparator unordered list? null? car cdr)) (comparator-hashable? (make-vector-comparator bare vector? vector-length vector-ref))) ; => #f #f

; Comparators of identity.
(define a (list 1))
(define b (list 1))
(define (same c) (list (=? c a a) (=? c a b) (=? c 100.5 100.5) (comparator-test-type c 'x) (comparator-ordered? c) (= (comparator-hash c a) (comparator-hash c a))))
(print (same (make-eqv-comparator)) (same (make-equal-comparator))) ; => (#t #f #t #t #f #t) (#t #t #t #t #f #t)
(print (=? (make-eq-comparator) a a) (=? (make-eq-comparator) a b) (=? (make-eq-comparator) 'a 'a)) ; => #t #f #t

; The default comparator: an order of the types, then one of each type.
(define sorted '(() (1) (1 2) (2) #f #t #\a #\b "" "a" "ab" a b -1 1/2 2 #() #(1) #(2) #(1 1) #u8() #u8(2) #u8(1 1)))
(print (apply <? default sorted) (apply >? default (reverse sorted)) (apply =? default (list sorted sorted))) ; => #t #t #t
(print (=? default 1 1.0) (=? default '(1 #(2)) '(1.0 #(2.0))) (=? default 1 'a) (=? default #(1) #(1 2)) (=? default "a" 'a)) ; => #t #t #f #f #f
(print (apply = (map default-hash '(1 1.0))) (apply = (map default-hash '((1 #(2)) (1.0 #(2.0)))))) ; => #t #t
(print (map exact-integer? (map default-hash sorted))) ; => (#t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t)
(print (message (lambda () (<? default car 1)))) ; => make-default-comparator: no order is registered for:
(print (=? default car car) (=? default car cdr)) ; => #t #f
(define-record-type dog (make-dog age) dog? (age dog-age))
(comparator-register-default! (make-comparator dog? (lambda (x y) (= (dog-age x) (dog-age y))) (lambda (x y) (< (dog-age x) (dog-age y))) (lambda (x) (number-hash (dog-age x)))))
(print (<? default (make-dog 1) (make-dog 2)) (=? default (list (make-dog 1)) (list (make-dog 1))) (<? default #u8(1) (make-dog 0)) (= (default-hash (make-dog 3)) (default-hash (make-dog 3)))) ; => #t #t #t #t

; Hash functions.
(print (= (boolean-hash #t) (boolean-hash #f)) (= (char-hash #\a) (char-hash #\A)) (= (char-ci-hash #\a) (char-ci-hash #\A)) (= (symbol-hash 'a) (symbol-hash 'a))) ; => #f #f #t #t
(print (= (string-hash "a") (string-hash "A")) (= (string-ci-hash "a") (string-ci-hash "A")) (= (number-hash 2) (number-hash 2.0))) ; => #f #t #t
(print (exact-integer? (hash-bound)) (exact-integer? (hash-salt)) (<= (hash-bound) (expt 2 25))) ; => #t #t #t
(print (message (lambda () (number-hash 'a))) (message (lambda () (char-hash 1)))) ; => number-hash: expected a number, got a char-hash: expected a character, got 1
(print (message (lambda () (symbol-hash "a"))) (message (lambda () (boolean-hash 1))) (message (lambda () (char-ci-hash "a")))) ; => symbol-hash: expected a symbol, got "a" boolean-hash: expected a boolean, got 1 char-ci-hash: expected a character, got "a"
(print (message (lambda () (=? 1 2 3))) (message (lambda () (make-comparator 1 = < #f))) (message (lambda () (make-pair-comparator 1 numbers)))) ; => =?: expected a comparator, got 1 make-comparator: expected a procedure, got 1 make-pair-comparator: expected a comparator, got 1
