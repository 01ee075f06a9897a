; SRFI 113: sets and bags.
(import (srfi 113) (srfi 128))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define c (make-default-comparator))
(define ci (make-comparator string? string-ci=? string-ci<? string-ci-hash))
(define (s . elements) (list->set c elements))
(define (b . elements) (list->bag c elements))
(define (sl x) (set->list x))
(define (bl x) (bag->list x))

; Constructors, predicates and accessors.
(print (sl (set c 1 2 1)) (sl (set c)) (bl (bag c 1 2 1)) (bl (bag c))) ; => (1 2) () (1 1 2) ()
(define (stop? n) (> n 4))
(define (half n) (quotient n 2))
(print (sl (set-unfold stop? half 1+ 0 c)) (bl (bag-unfold stop? half 1+ 0 c)) (sl (set-unfold c stop? half 1+ 0)) (bl (bag-unfold c stop? half 1+ 0))) ; => (0 1 2) (0 0 1 1 2) (0 1 2) (0 0 1 1 2)
(print (sl (list->set ci '("a" "A" "b"))) (sl (list->set! (s 1 2) '(2 3))) (bl (list->bag ci '("a" "A" "b"))) (bl (list->bag! (b 1 2) '(2 3)))) ; => (a b) (1 2 3) (a a b) (1 2 2 3)
(print (map set? (list (s) (b) '())) (map bag? (list (s) (b) '()))) ; => (#t #f #f) (#f #t #f)
(print (set-contains? (s 1 2) 2.0) (set-contains? (s 1) 2) (bag-contains? (b 1 1) 1) (bag-contains? (b 1) 2)) ; => #t #f #t #f
(print (set-empty? (s)) (set-empty? (s 1)) (bag-empty? (b)) (bag-empty? (b 1))) ; => #t #f #t #f
(print (set-disjoint? (s 1 2) (s 3)) (set-disjoint? (s 1 2) (s 2)) (bag-disjoint? (b 1 1) (b 3)) (bag-disjoint? (b 1 2) (b 2))) ; => #t #f #t #f
(print (set-member (set ci "Ab") "aB" 'none) (set-member (set ci) "a" 'none) (bag-member (bag ci "Ab") "aB" 'none) (bag-member (bag ci) "a" 'none)) ; => Ab none Ab none
(print (eq? c (set-element-comparator (s))) (eq? ci (bag-element-comparator (bag ci)))) ; => #t #t

; Changes, in a copy and in place.
(define s1 (s 1 2))
(define b1 (b 1 2))
(print (sl (set-adjoin s1 2 3)) (sl s1) (sl (set-adjoin! s1 2 3)) (sl s1) (bl (bag-adjoin b1 2 3)) (bl b1) (bl (bag-adjoin! b1 2 3)) (bl b1)) ; => (1 2 3) (1 2) (1 2 3) (1 2 3) (1 2 2 3) (1 2) (1 2 2 3) (1 2 2 3)
(print (sl (set-adjoin (set ci "a") "A")) (sl (set-replace (set ci "a" "b") "A")) (sl (set-replace (set ci "a") "x")) (bl (bag-replace (bag ci "a" "a") "A")) (bl (bag-replace (bag ci "a") "x"))) ; => (a) (b A) (a) (A A) (a)
(define r (set ci "a"))
(define q (bag ci "a"))
(print (eq? r (set-replace! r "A")) (sl r) (eq? q (bag-replace! q "A")) (bl q)) ; => #t (A) #t (A)
(print (sl (set-delete (s 1 2 3) 1 9)) (sl (set-delete-all (s 1 2 3) '(1 2))) (bl (bag-delete (b 1 1 1 2) 1 2 9)) (bl (bag-delete-all (b 1 1 1 2) '(1 1)))) ; => (2 3) (3) (1 1) (1 2)
(set-delete! s1 1)
(set-delete-all! s1 '(3))
(bag-delete! b1 2)
(bag-delete-all! b1 '(1 3))
(print (sl s1) (bl b1)) ; => (2) (2)
(define (searched search! x element then-failure then-success)
  (values-of (search! x element then-failure then-success)))
(define (shown to-list found) (list (to-list (car found)) (cadr found)))
(print (shown sl (searched set-search! (s 1) 2 (lambda (insert ignore) (insert 'new)) #f)) (shown sl (searched set-search! (s 1) 2 (lambda (insert ignore) (ignore 'old)) #f))) ; => ((1 2) new) ((1) old)
(print (shown sl (searched set-search! (set ci "a") "A" #f (lambda (found update remove) (update "B" found)))) (shown sl (searched set-search! (s 1) 1 #f (lambda (found update remove) (remove 'gone))))) ; => ((B) a) (() gone)
(print (shown bl (searched bag-search! (b 1) 2 (lambda (insert ignore) (insert 'new)) #f)) (shown bl (searched bag-search! (b 1 1) 1 #f (lambda (found update remove) (remove found)))) (shown bl (searched bag-search! (b 1 1) 1 #f (lambda (found update remove) (update 7 'x))))) ; => ((1 2) new) ((1) 1) ((1 7) x)

; All elements.
(print (set-size (s 1 2 1)) (bag-size (b 1 2 1)) (bag-unique-size (b 1 2 1)) (bag-element-count (b 1 2 1) 1) (bag-element-count (b) 1)) ; => 2 3 2 2 0
(print (set-find even? (s 1 2 3) (lambda () 'none)) (set-find even? (s 1) (lambda () 'none)) (bag-find even? (b 1 2) (lambda () 'none)) (bag-find even? (b 1) (lambda () 'none))) ; => 2 none 2 none
(print (set-count odd? (s 1 2 3)) (bag-count odd? (b 1 1 2)) (set-any? even? (s 1 2)) (set-any? even? (s)) (set-every? even? (s 2 3)) (set-every? even? (s)) (bag-any? even? (b 1)) (bag-any? even? (b 2)) (bag-every? odd? (b 1 1)) (bag-every? odd? (b 1 2))) ; => 2 2 #t #f #f #t #f #t #t #f
(print (sl (set-map c (lambda (x) (quotient x 2)) (s 2 3 4))) (bl (bag-map c (lambda (x) (quotient x 2)) (b 2 3 4 4))) (set-fold + 0 (s 1 2 3)) (bag-fold + 0 (b 1 1 2))) ; => (1 2) (1 1 2 2) 6 4
(set-for-each display (s 1 2 1))
(bag-for-each display (b 1 2 1))
(bag-for-each-unique (lambda (x n) (display (list x n))) (b 1 2 1))
(newline) ; => 12112(1 2)(2 1)
(print (bag-fold-unique (lambda (x n sum) (+ sum (* x n))) 0 (b 1 5 5))) ; => 11
(print (sl (set-filter odd? (s 1 2 3))) (sl (set-remove odd? (s 1 2 3))) (map sl (values-of (set-partition odd? (s 1 2 3))))) ; => (1 3) (2) ((1 3) (2))
(print (bl (bag-filter odd? (b 1 1 2))) (bl (bag-remove odd? (b 1 1 2))) (map bl (values-of (bag-partition odd? (b 1 1 2))))) ; => (1 1) (2) ((1 1) (2))
(define f (s 1 2 3 4))
(define g (b 1 1 2 3 4))
(set-filter! even? f)
(bag-filter! even? g)
(print (sl f) (bl g)) ; => (2 4) (2 4)
(set-remove! (lambda (x) (= x 2)) f)
(bag-remove! (lambda (x) (= x 2)) g)
(print (sl f) (bl g)) ; => (4) (4)
(define h (s 1 2 3))
(define i (b 1 1 2))
(print (map sl (values-of (set-partition! odd? h))) (sl h) (map bl (values-of (bag-partition! odd? i))) (bl i)) ; => ((1 3) (2)) (1 3) ((1 1) (2)) (1 1)
(define copy (set-copy h))
(define bag-of-it (bag-copy i))
(set-adjoin! copy 9)
(bag-adjoin! bag-of-it 9)
(print (sl copy) (sl h) (bl bag-of-it) (bl i)) ; => (1 3 9) (1 3) (1 1 9) (1 1)

; Several sets and bags.
(print (set=? (s 1 2) (s 2 1) (s 1 2)) (set=? (s 1) (s 1 2)) (set<? (s 1) (s 1 2) (s 1 2 3)) (set<? (s 1) (s 1)) (set>? (s 1 2) (s 1)) (set>? (s 1) (s 1)) (set<=? (s 1) (s 1) (s 2 1)) (set<=? (s 1) (s 2)) (set>=? (s 1 2) (s 2) (s 2)) (set>=? (s 1) (s 2))) ; => #t #f #t #f #t #f #t #f #t #f
(print (bag=? (b 1 1 2) (b 2 1 1)) (bag=? (b 1) (b 1 1)) (bag<? (b 1) (b 1 1)) (bag<? (b 1) (b 1)) (bag>? (b 1 1) (b 1)) (bag>? (b 1) (b 1 1)) (bag<=? (b 1) (b 1 1) (b 1 1)) (bag<=? (b 1 1) (b 1)) (bag>=? (b 1 1) (b 1)) (bag>=? (b 1) (b 1 1))) ; => #t #f #t #f #t #f #t #f #t #f
(define (all f . sets) (sl (apply f sets)))
(define (ball f . bags) (bl (apply f bags)))
(print (all set-union (s 1 2) (s 2 3) (s 4)) (all set-intersection (s 1 2 3) (s 2 3) (s 3 1)) (all set-difference (s 1 2 3) (s 2) (s 4 3)) (all set-xor (s 1 2) (s 2 3)) (all set-union (s 1))) ; => (1 2 3 4) (3) (1) (1 3) (1)
(print (ball bag-union (b 1 1 2) (b 1 2 2)) (ball bag-intersection (b 1 1 2) (b 1 2 2)) (ball bag-difference (b 1 1 1 2) (b 1 2 2) (b 1)) (ball bag-xor (b 1 1 1 2) (b 1 3)) (ball bag-sum (b 1 2) (b 1) (b 3)) (ball bag-product 2 (b 1 2 2)) (ball bag-product 0 (b 1))) ; => (1 1 2 2) (1 2) (1) (1 1 2 3) (1 1 2 3) (1 1 2 2 2 2) ()
(define (changed f make . others) (let ((x (make))) (list (eq? x (apply f x others)) (if (set? x) (sl x) (bl x)))))
(define (s12) (s 1 2))
(define (b112) (b 1 1 2))
(print (changed set-union! s12 (s 3)) (changed set-intersection! s12 (s 2 3)) (changed set-difference! s12 (s 2)) (changed set-xor! s12 (s 2 3))) ; => (#t (1 2 3)) (#t (2)) (#t (1)) (#t (1 3))
(print (changed bag-union! b112 (b 2 2)) (changed bag-intersection! b112 (b 1 3)) (changed bag-difference! b112 (b 1)) (changed bag-xor! b112 (b 1 3)) (changed bag-sum! b112 (b 2) (b 2))) ; => (#t (1 1 2 2)) (#t (1)) (#t (1 2)) (#t (1 2 3)) (#t (1 1 2 2 2))
(define p (b 1 2))
(print (eq? p (bag-product! 2 p)) (bl p) (bl (bag-increment! p 3 2)) (bl (bag-decrement! p 1 1)) (bl (bag-decrement! p 2 9))) ; => #t (1 1 2 2) (1 1 2 2 3 3) (1 2 2 3 3) (1 3 3)

; Conversions, and sets of sets.
(print (sl (bag->set (b 1 1 2))) (bl (set->bag (s 1 2))) (bl (set->bag! (b 1 5) (s 1 2))) (bag->alist (b 1 1 2)) (bl (alist->bag c '((a . 2) (b . 1) (a . 9) (z . 0))))) ; => (1 2) (1 2) (1 1 5 2) ((1 . 2) (2 . 1)) (a a b)
(define sets (set set-comparator (s 1 2) (s 2 1) (s 3)))
(define bags (set bag-comparator (b 1 1) (b 1 1) (b 1)))
(print (set-size sets) (set-contains? sets (s 2 1)) (set-contains? sets (s)) (set-size bags) (set-contains? bags (b 1)) (comparator-ordered? set-comparator)) ; => 2 #t #f 2 #t #f

; Errors.
(print (message (lambda () (set-size 5))) (message (lambda () (bag->list 'a))) (message (lambda () (set-union (s 1) '(1)))) (message (lambda () (set 1 2)))) ; => set-size: expected a set, got 5 bag->list: expected a bag, got a set-union: expected a set, got (1) set: expected a comparator, got 1
(print (message (lambda () (set-union (s 1) (set ci "a")))) (message (lambda () (set ci 1))) (message (lambda () (bag-increment! (b) 1 -1))) (message (lambda () (list->bag c 5)))) ; => set-union: the comparators differ: set: the comparator cannot compare: bag-increment!: expected a non-negative exact integer, got -1 list->bag: expected a list, got 5

; Sets of the default comparator: elements that are no plain keys, in between and on both sides.
(define d (make-default-comparator))
(define (ds . elements) (list->set d elements))
(define mixed (ds 1 2.0 "a" 2 'b 1.0 3 '(1) '(1.0)))
(print (set-size mixed) (set->list mixed) (set-contains? mixed 2) (set-contains? mixed '(1.0)))  ; => 6 (1 2.0 a b 3 (1)) #t #t
(print (map set->list (list (set-union mixed (ds 3 4)) (set-union (ds 3 4) mixed) (set-intersection mixed (ds 2 3)) (set-intersection (ds 2 3) mixed) (set-difference mixed (ds 2 3)) (set-difference (ds 2 5) mixed))))  ; => ((1 2.0 a b 3 (1) 4) (3 4 1 2.0 a b (1)) (2.0 3) (2 3) (1 a b (1)) (5))
(define many (list->set d (iota 1000)))
(define evens (list->set d (map (lambda (k) (* 2 k)) (iota 1000))))
(set-delete! many 998 5 0)
(print (set-size many) (set-size (set-union many evens)) (set-size (set-intersection many evens)) (set-size (set-difference many evens)) (set-size (set-copy many)) (set-contains? (set-copy many) 5))  ; => 997 1499 498 499 997 #f
(define itself (ds 1 2))
(print (sl (set-union! itself itself)) (sl (set-intersection! itself itself)) (sl (set-difference! itself itself)) (sl (set-intersection! (ds 1))))  ; => (1 2) (1 2) () (1)
(print (message (lambda () (list->set d '(1 . 2)))) (sl (list->set! (ds 1) '(1 2))))  ; => list->set: expected a list, got (1 . 2) (1 2)
