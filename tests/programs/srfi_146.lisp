; SRFI 146: mappings.
(import (srfi 146) (srfi 128))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define c (make-default-comparator))
(define v (make-default-comparator))
(define numbers (make-comparator number? = < number-hash))
(define (a m) (sort (mapping->alist m) (lambda (x y) (<? c (car x) (car y)))))
(define (map2 results) (cons (a (car results)) (cdr results)))

; Constructors, predicates, accessors.
(print (a (mapping c 'x 1 'y 2 'x 3)) (a (mapping-unfold zero? (lambda (n) (values n (* n n))) (lambda (n) (- n 1)) 3 c)) (a (alist->mapping c '((y . 2) (x . 1) (y . 3)))) (a (alist->mapping! (mapping c 'x 1) '((x . 5) (z . 6))))) ; => ((x . 1) (y . 2)) ((1 . 1) (2 . 4) (3 . 9)) ((x . 1) (y . 2)) ((x . 1) (z . 6))
(define m (mapping c 'x 1 'y 2 'z 3))
(print (mapping? m) (mapping? '()) (mapping-contains? m 'x) (mapping-contains? m 'q) (mapping-empty? m) (mapping-empty? (mapping c)) (mapping-disjoint? m (mapping c 'q 1)) (mapping-disjoint? m (mapping c 'x 9))) ; => #t #f #t #f #f #t #t #f
(print (mapping-ref m 'x) (mapping-ref m 'q (lambda () 'none)) (mapping-ref m 'x (lambda () 'none) list) (mapping-ref/default m 'q 0) (mapping-ref/default m 'y 0) (eq? c (mapping-key-comparator m))) ; => 1 none (1) 0 2 #t

; Changes.
(print (a (mapping-adjoin m 'x 5 'w 0)) (a (mapping-adjoin! m 'v 7)) (a (mapping-set m 'x 5 'w 0)) (a (mapping-set! m 'x 5)) (a (mapping-replace m 'x 5)) (a (mapping-replace! m 'q 5)) (a m)) ; => ((w . 0) (x . 1) (y . 2) (z . 3)) ((v . 7) (x . 1) (y . 2) (z . 3)) ((w . 0) (x . 5) (y . 2) (z . 3)) ((x . 5) (y . 2) (z . 3)) ((x . 5) (y . 2) (z . 3)) ((x . 1) (y . 2) (z . 3)) ((x . 1) (y . 2) (z . 3))
(print (a (mapping-delete m 'x 'q)) (a (mapping-delete! m 'x 'y 'z)) (a (mapping-delete-all m '(x y))) (a (mapping-delete-all! m '()))) ; => ((y . 2) (z . 3)) () ((z . 3)) ((x . 1) (y . 2) (z . 3))
(print (map2 (values-of (mapping-intern m 'x (lambda () 9)))) (map2 (values-of (mapping-intern! m 'q (lambda () 9))))) ; => (((x . 1) (y . 2) (z . 3)) 1) (((q . 9) (x . 1) (y . 2) (z . 3)) 9)
(print (a (mapping-update m 'x 1+)) (a (mapping-update! m 'q 1+ (lambda () 10))) (a (mapping-update m 'x list (lambda () 1) -)) (a (mapping-update/default m 'q 1+ 0)) (a (mapping-update!/default m 'x 1+ 0))) ; => ((x . 2) (y . 2) (z . 3)) ((q . 11) (x . 1) (y . 2) (z . 3)) ((x -1) (y . 2) (z . 3)) ((q . 1) (x . 1) (y . 2) (z . 3)) ((x . 2) (y . 2) (z . 3))
(define one (mapping c 'k 1))
(print (cdr (values-of (mapping-pop one))) (a (car (values-of (mapping-pop! one)))) (mapping-pop (mapping c) (lambda () 'empty))) ; => (k 1) () empty
(define (searched . rest) (map2 (values-of (apply mapping-search m rest))))
(print (searched 'q (lambda (insert ignore) (insert 4 'new)) #f) (searched 'q (lambda (insert ignore) (ignore 'old)) #f) (searched 'x #f (lambda (key value update remove) (update 'xx (+ value 1) key))) (searched 'x #f (lambda (key value update remove) (remove value))) (map2 (values-of (mapping-search! m 'x #f (lambda (k v update remove) (update k 8 v)))))) ; => (((q . 4) (x . 1) (y . 2) (z . 3)) new) (((x . 1) (y . 2) (z . 3)) old) (((xx . 2) (y . 2) (z . 3)) x) (((y . 2) (z . 3)) 1) (((x . 8) (y . 2) (z . 3)) 1)

; All keys.
(print (mapping-size m) (mapping-size (mapping c)) (values-of (mapping-find (lambda (k v) (= v 2)) m (lambda () 'none))) (mapping-find (lambda (k v) (= v 9)) m (lambda () 'none)) (mapping-count (lambda (k v) (odd? v)) m)) ; => 3 0 (y 2) none 2
(print (mapping-any? (lambda (k v) (even? v)) m) (mapping-any? (lambda (k v) (> v 9)) m) (mapping-every? (lambda (k v) (< v 9)) m) (mapping-every? (lambda (k v) (odd? v)) m)) ; => #t #f #t #f
(print (sort (mapping-keys m) symbol<?) (sort (mapping-values m) <) (map length (values-of (mapping-entries m)))) ; => (x y z) (1 2 3) (3 3)
(print (a (mapping-map (lambda (k v) (values v k)) c m)) (sort (mapping-map->list (lambda (k v) (* 2 v)) m) <) (mapping-fold (lambda (k v n) (+ v n)) 0 m)) ; => ((1 . x) (2 . y) (3 . z)) (2 4 6) 6
(define sum 0)
(mapping-for-each (lambda (k v) (set! sum (+ sum v))) m)
(print sum (a (mapping-filter (lambda (k v) (odd? v)) m)) (a (mapping-filter! (lambda (k v) #f) m)) (a (mapping-remove (lambda (k v) (odd? v)) m)) (a (mapping-remove! (lambda (k v) (eq? k 'x)) m)) (map a (values-of (mapping-partition (lambda (k v) (odd? v)) m))) (map a (values-of (mapping-partition! (lambda (k v) #t) m)))) ; => 6 ((x . 1) (z . 3)) () ((y . 2)) ((y . 2) (z . 3)) (((x . 1) (z . 3)) ((y . 2))) (((x . 1) (y . 2) (z . 3)) ())
(print (a (mapping-copy m)) (sort (map car (mapping->alist m)) symbol<?)) ; => ((x . 1) (y . 2) (z . 3)) (x y z)

; Comparison and set operations.
(define less (mapping c 'x 1 'y 2))
(define other (mapping c 'x 1 'y 5))
(print (mapping=? v m m) (mapping=? v m less) (mapping<? v less m) (mapping<? v m m) (mapping>? v m less) (mapping>? v m m) (mapping<=? v less m m) (mapping<=? v m less) (mapping>=? v m less) (mapping>=? v less m)) ; => #t #f #t #f #t #f #t #f #t #f
(print (mapping=? v less other) (mapping<=? v other m) (mapping=? v m)) ; => #f #f #t
(define n (mapping c 'x 7 'w 8))
(print (a (mapping-union m n)) (a (mapping-union! n m (mapping c 'z 0 'q 0))) (a (mapping-intersection m n)) (a (mapping-intersection! n m)) (a (mapping-difference m n)) (a (mapping-difference! m n less)) (a (mapping-xor m n)) (a (mapping-xor! m m))) ; => ((w . 8) (x . 1) (y . 2) (z . 3)) ((q . 0) (w . 8) (x . 7) (y . 2) (z . 3)) ((x . 1)) ((x . 7)) ((y . 2) (z . 3)) ((z . 3)) ((w . 8) (y . 2) (z . 3)) ()
(define by-value (make-mapping-comparator v))
(print (comparator? mapping-comparator) (=? mapping-comparator m (mapping-copy m)) (=? by-value less other) (= (comparator-hash mapping-comparator m) (comparator-hash mapping-comparator (mapping-copy m))) (comparator-test-type by-value m) (comparator-test-type by-value 5) (comparator-ordered? by-value)) ; => #t #t #f #t #t #f #t

; Mistakes.
(print (message (lambda () (mapping 'x 1))) (message (lambda () (mapping c 'x))) (message (lambda () (mapping-ref m 'q))) (message (lambda () (mapping-ref '((x . 1)) 'x)))) ; => mapping: expected a comparator, got x mapping: expected a value for each key, got none for: mapping-ref: there is no such key: mapping-ref: expected a mapping, got ((x . 1))
(print (message (lambda () (mapping-set m 'x))) (message (lambda () (mapping-pop (mapping c)))) (message (lambda () (mapping-union m '()))) (message (lambda () (mapping-union m (mapping (make-default-comparator)))))) ; => mapping-set: expected a value for each key, got none for: mapping-pop: there are no keys mapping-union: expected a mapping, got () mapping-union: the comparators differ; make all with one
(print (message (lambda () (alist->mapping c 5))) (message (lambda () (alist->mapping c '(1 2)))) (message (lambda () (mapping=? 5 m m))) (message (lambda () (mapping (make-comparator symbol? eq? #f #f)))) (message (lambda () (mapping-update m 'q 1+))) (message (lambda () (mapping-set (mapping numbers) 'a 1)))) ; => alist->mapping: expected a list, got 5 alist->mapping: expected a pair of a key and a value, got 1 mapping=?: expected a comparator, got 5 mapping: the comparator has no order; (make-default-comparator) has one mapping-update: there is no such key: mapping: expected a key that the comparator can compare, got a

; Order.
(print (mapping->alist (mapping/ordered c 1 'a 2 'b)) (mapping->alist (mapping-unfold/ordered (lambda (n) (> n 3)) (lambda (n) (values n (- n))) 1+ 1 c)) (mapping->alist (alist->mapping/ordered c '((1 . a) (5 . b)))) (mapping->alist (alist->mapping/ordered! (mapping c 0 'z) '((1 . a) (5 . b))))) ; => ((1 . a) (2 . b)) ((1 . -1) (2 . -2) (3 . -3)) ((1 . a) (5 . b)) ((0 . z) (1 . a) (5 . b))
(define squares (mapping-unfold (lambda (n) (= n 100)) (lambda (n) (values (* 2 n) (* n n))) 1+ 0 c))
(print (mapping-min-key squares) (mapping-max-key squares) (mapping-min-value squares) (mapping-max-value squares) (values-of (mapping-min-entry squares)) (values-of (mapping-max-entry squares))) ; => 0 198 0 9801 (0 0) (198 9801)
(define (none) 'none)
(print (mapping-key-predecessor squares 8 none) (mapping-key-predecessor squares 9 none) (mapping-key-predecessor squares 0 none) (mapping-key-successor squares 8 none) (mapping-key-successor squares 7 none) (mapping-key-successor squares 198 none)) ; => 6 8 none 10 8 none
(print (map mapping-size (list (mapping-range= squares 8) (mapping-range= squares 9) (mapping-range< squares 8) (mapping-range<= squares 8) (mapping-range> squares 8) (mapping-range>= squares 8) (mapping-range<= squares 9) (mapping-range>= squares 9)))) ; => (1 0 4 5 95 96 5 95)
(print (map mapping-size (list (mapping-range=! squares 8) (mapping-range<! squares 8) (mapping-range<=! squares 8) (mapping-range>! squares 8) (mapping-range>=! squares 8)))) ; => (1 4 5 95 96)
(print (map mapping-size (values-of (mapping-split squares 8))) (map mapping-size (values-of (mapping-split! squares 9)))) ; => (4 5 1 96 95) (5 5 0 95 95)
(define low (mapping c 1 'a 2 'b))
(define high (mapping c 8 'y 9 'z))
(print (mapping->alist (mapping-catenate c low 5 'm high)) (mapping->alist (mapping-catenate! c (mapping c) 5 'm high)) (mapping->alist (mapping-catenate c low 5 'm (mapping c)))) ; => ((1 . a) (2 . b) (5 . m) (8 . y) (9 . z)) ((5 . m) (8 . y) (9 . z)) ((1 . a) (2 . b) (5 . m))
(print (mapping->alist (mapping-map/monotone (lambda (k v) (values (* k 10) v)) c low)) (mapping->alist (mapping-map/monotone! (lambda (k v) (values (* k 10) v)) c low)) (mapping-fold/reverse (lambda (k v l) (cons k l)) '() low) (mapping-fold (lambda (k v l) (cons k l)) '() low)) ; => ((10 . a) (20 . b)) ((10 . a) (20 . b)) (1 2) (2 1)
(print (<? mapping-comparator low high) (<? mapping-comparator high low) (<? mapping-comparator low low) (<? by-value (mapping c 1 'a) low) (<? by-value low (mapping c 1 'a 2 'c)) (sort (mapping-keys squares) >) (equal? (mapping-keys squares) (iota 100 0 2))) ; => #t #f #f #t #t (198 196 194 192 190 188 186 184 182 180 178 176 174 172 170 168 166 164 162 160 158 156 154 152 150 148 146 144 142 140 138 136 134 132 130 128 126 124 122 120 118 116 114 112 110 108 106 104 102 100 98 96 94 92 90 88 86 84 82 80 78 76 74 72 70 68 66 64 62 60 58 56 54 52 50 48 46 44 42 40 38 36 34 32 30 28 26 24 22 20 18 16 14 12 10 8 6 4 2 0) #t
(print (message (lambda () (mapping/ordered c 2 'a 1 'b))) (message (lambda () (mapping/ordered c 2))) (message (lambda () (mapping-min-key (mapping c)))) (message (lambda () (mapping-catenate c high 5 'm low)))) ; => mapping/ordered: the keys do not increase at: mapping/ordered: expected a value for each key, got none for: mapping-min-key: there are no keys mapping-catenate: the key is not between those of the mappings:
(print (message (lambda () (mapping-map/monotone (lambda (k v) (values (- k) v)) c low))) (message (lambda () (alist->mapping/ordered! low '((1 . a))))) (message (lambda () (mapping (make-eq-comparator))))) ; => mapping-map/monotone: the keys do not increase at: alist->mapping/ordered!: the keys do not increase at: mapping: the comparator has no order; (make-default-comparator) has one
