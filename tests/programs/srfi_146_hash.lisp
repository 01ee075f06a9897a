; SRFI 146: hashmaps.
(import (srfi 146 hash) (srfi 128))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define c (make-default-comparator))
(define v (make-default-comparator))
(define numbers (make-comparator number? = < number-hash))
(define (a m) (sort (hashmap->alist m) (lambda (x y) (<? c (car x) (car y)))))
(define (map2 results) (cons (a (car results)) (cdr results)))

; Constructors, predicates, accessors.
(print (a (hashmap c 'x 1 'y 2 'x 3)) (a (hashmap-unfold zero? (lambda (n) (values n (* n n))) (lambda (n) (- n 1)) 3 c)) (a (alist->hashmap c '((y . 2) (x . 1) (y . 3)))) (a (alist->hashmap! (hashmap c 'x 1) '((x . 5) (z . 6))))) ; => ((x . 1) (y . 2)) ((1 . 1) (2 . 4) (3 . 9)) ((x . 1) (y . 2)) ((x . 1) (z . 6))
(define m (hashmap c 'x 1 'y 2 'z 3))
(print (hashmap? m) (hashmap? '()) (hashmap-contains? m 'x) (hashmap-contains? m 'q) (hashmap-empty? m) (hashmap-empty? (hashmap c)) (hashmap-disjoint? m (hashmap c 'q 1)) (hashmap-disjoint? m (hashmap c 'x 9))) ; => #t #f #t #f #f #t #t #f
(print (hashmap-ref m 'x) (hashmap-ref m 'q (lambda () 'none)) (hashmap-ref m 'x (lambda () 'none) list) (hashmap-ref/default m 'q 0) (hashmap-ref/default m 'y 0) (eq? c (hashmap-key-comparator m))) ; => 1 none (1) 0 2 #t

; Changes.
(print (a (hashmap-adjoin m 'x 5 'w 0)) (a (hashmap-adjoin! m 'v 7)) (a (hashmap-set m 'x 5 'w 0)) (a (hashmap-set! m 'x 5)) (a (hashmap-replace m 'x 5)) (a (hashmap-replace! m 'q 5)) (a m)) ; => ((w . 0) (x . 1) (y . 2) (z . 3)) ((v . 7) (x . 1) (y . 2) (z . 3)) ((w . 0) (x . 5) (y . 2) (z . 3)) ((x . 5) (y . 2) (z . 3)) ((x . 5) (y . 2) (z . 3)) ((x . 1) (y . 2) (z . 3)) ((x . 1) (y . 2) (z . 3))
(print (a (hashmap-delete m 'x 'q)) (a (hashmap-delete! m 'x 'y 'z)) (a (hashmap-delete-all m '(x y))) (a (hashmap-delete-all! m '()))) ; => ((y . 2) (z . 3)) () ((z . 3)) ((x . 1) (y . 2) (z . 3))
(print (map2 (values-of (hashmap-intern m 'x (lambda () 9)))) (map2 (values-of (hashmap-intern! m 'q (lambda () 9))))) ; => (((x . 1) (y . 2) (z . 3)) 1) (((q . 9) (x . 1) (y . 2) (z . 3)) 9)
(print (a (hashmap-update m 'x 1+)) (a (hashmap-update! m 'q 1+ (lambda () 10))) (a (hashmap-update m 'x list (lambda () 1) -)) (a (hashmap-update/default m 'q 1+ 0)) (a (hashmap-update!/default m 'x 1+ 0))) ; => ((x . 2) (y . 2) (z . 3)) ((q . 11) (x . 1) (y . 2) (z . 3)) ((x -1) (y . 2) (z . 3)) ((q . 1) (x . 1) (y . 2) (z . 3)) ((x . 2) (y . 2) (z . 3))
(define one (hashmap c 'k 1))
(print (cdr (values-of (hashmap-pop one))) (a (car (values-of (hashmap-pop! one)))) (hashmap-pop (hashmap c) (lambda () 'empty))) ; => (k 1) () empty
(define (searched . rest) (map2 (values-of (apply hashmap-search m rest))))
(print (searched 'q (lambda (insert ignore) (insert 4 'new)) #f) (searched 'q (lambda (insert ignore) (ignore 'old)) #f) (searched 'x #f (lambda (key value update remove) (update 'xx (+ value 1) key))) (searched 'x #f (lambda (key value update remove) (remove value))) (map2 (values-of (hashmap-search! m 'x #f (lambda (k v update remove) (update k 8 v)))))) ; => (((q . 4) (x . 1) (y . 2) (z . 3)) new) (((x . 1) (y . 2) (z . 3)) old) (((xx . 2) (y . 2) (z . 3)) x) (((y . 2) (z . 3)) 1) (((x . 8) (y . 2) (z . 3)) 1)

; All keys.
(print (hashmap-size m) (hashmap-size (hashmap c)) (values-of (hashmap-find (lambda (k v) (= v 2)) m (lambda () 'none))) (hashmap-find (lambda (k v) (= v 9)) m (lambda () 'none)) (hashmap-count (lambda (k v) (odd? v)) m)) ; => 3 0 (y 2) none 2
(print (hashmap-any? (lambda (k v) (even? v)) m) (hashmap-any? (lambda (k v) (> v 9)) m) (hashmap-every? (lambda (k v) (< v 9)) m) (hashmap-every? (lambda (k v) (odd? v)) m)) ; => #t #f #t #f
(print (sort (hashmap-keys m) symbol<?) (sort (hashmap-values m) <) (map length (values-of (hashmap-entries m)))) ; => (x y z) (1 2 3) (3 3)
(print (a (hashmap-map (lambda (k v) (values v k)) c m)) (sort (hashmap-map->list (lambda (k v) (* 2 v)) m) <) (hashmap-fold (lambda (k v n) (+ v n)) 0 m)) ; => ((1 . x) (2 . y) (3 . z)) (2 4 6) 6
(define sum 0)
(hashmap-for-each (lambda (k v) (set! sum (+ sum v))) m)
(print sum (a (hashmap-filter (lambda (k v) (odd? v)) m)) (a (hashmap-filter! (lambda (k v) #f) m)) (a (hashmap-remove (lambda (k v) (odd? v)) m)) (a (hashmap-remove! (lambda (k v) (eq? k 'x)) m)) (map a (values-of (hashmap-partition (lambda (k v) (odd? v)) m))) (map a (values-of (hashmap-partition! (lambda (k v) #t) m)))) ; => 6 ((x . 1) (z . 3)) () ((y . 2)) ((y . 2) (z . 3)) (((x . 1) (z . 3)) ((y . 2))) (((x . 1) (y . 2) (z . 3)) ())
(print (a (hashmap-copy m)) (sort (map car (hashmap->alist m)) symbol<?)) ; => ((x . 1) (y . 2) (z . 3)) (x y z)

; Comparison and set operations.
(define less (hashmap c 'x 1 'y 2))
(define other (hashmap c 'x 1 'y 5))
(print (hashmap=? v m m) (hashmap=? v m less) (hashmap<? v less m) (hashmap<? v m m) (hashmap>? v m less) (hashmap>? v m m) (hashmap<=? v less m m) (hashmap<=? v m less) (hashmap>=? v m less) (hashmap>=? v less m)) ; => #t #f #t #f #t #f #t #f #t #f
(print (hashmap=? v less other) (hashmap<=? v other m) (hashmap=? v m)) ; => #f #f #t
(define n (hashmap c 'x 7 'w 8))
(print (a (hashmap-union m n)) (a (hashmap-union! n m (hashmap c 'z 0 'q 0))) (a (hashmap-intersection m n)) (a (hashmap-intersection! n m)) (a (hashmap-difference m n)) (a (hashmap-difference! m n less)) (a (hashmap-xor m n)) (a (hashmap-xor! m m))) ; => ((w . 8) (x . 1) (y . 2) (z . 3)) ((q . 0) (w . 8) (x . 7) (y . 2) (z . 3)) ((x . 1)) ((x . 7)) ((y . 2) (z . 3)) ((z . 3)) ((w . 8) (y . 2) (z . 3)) ()
(define by-value (make-hashmap-comparator v))
(print (comparator? hashmap-comparator) (=? hashmap-comparator m (hashmap-copy m)) (=? by-value less other) (= (comparator-hash hashmap-comparator m) (comparator-hash hashmap-comparator (hashmap-copy m))) (comparator-test-type by-value m) (comparator-test-type by-value 5) (comparator-ordered? by-value)) ; => #t #t #f #t #t #f #f

; Mistakes.
(print (message (lambda () (hashmap 'x 1))) (message (lambda () (hashmap c 'x))) (message (lambda () (hashmap-ref m 'q))) (message (lambda () (hashmap-ref '((x . 1)) 'x)))) ; => hashmap: expected a comparator, got x hashmap: expected a value for each key, got none for: hashmap-ref: there is no such key: hashmap-ref: expected a hashmap, got ((x . 1))
(print (message (lambda () (hashmap-set m 'x))) (message (lambda () (hashmap-pop (hashmap c)))) (message (lambda () (hashmap-union m '()))) (message (lambda () (hashmap-union m (hashmap (make-default-comparator)))))) ; => hashmap-set: expected a value for each key, got none for: hashmap-pop: there are no keys hashmap-union: expected a hashmap, got () hashmap-union: the comparators differ; make all with one
(print (message (lambda () (alist->hashmap c 5))) (message (lambda () (alist->hashmap c '(1 2)))) (message (lambda () (hashmap=? 5 m m))) (message (lambda () (hashmap (make-comparator symbol? eq? #f #f)))) (message (lambda () (hashmap-update m 'q 1+))) (message (lambda () (hashmap-set (hashmap numbers) 'a 1)))) ; => alist->hashmap: expected a list, got 5 alist->hashmap: expected a pair of a key and a value, got 1 hashmap=?: expected a comparator, got 5 hashmap: the comparator has no hash function; (make-default-comparator) has one hashmap-update: there is no such key: hashmap: expected a key that the comparator can compare, got a
