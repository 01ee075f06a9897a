; SRFI 125: hash tables by comparators.
(import (srfi 125) (srfi 128))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define default (make-default-comparator))
(define texts (make-comparator string? string-ci=? string-ci<? string-ci-hash))

; Constructors.
(define t (hash-table default 'a 1 "b" 2 3.0 3))
(print (hash-table->alist t) (hash-table-ref/default t 3 #f)) ; => ((a . 1) (b . 2) (3.0 . 3)) 3
(print (map (lambda (table) (hash-table-set! table "x" 1 "X" 2) (hash-table->alist table)) (list (make-hash-table texts) (make-hash-table string=?) (make-hash-table string-ci=? string-ci-hash) (make-hash-table equal? hash 100) (make-hash-table (make-equal-comparator) 10)))) ; => (((x . 2)) ((x . 1) (X . 2)) ((x . 2)) ((x . 1) (X . 2)) ((x . 1) (X . 2)))
(define p (list 1))
(define by-identity (make-hash-table (make-eq-comparator)))
(hash-table-set! by-identity p 'p (list 1) 'other)
(set-car! p 2)
(print (hash-table-ref/default by-identity p #f) (hash-table-ref/default by-identity (list 1) #f) (hash-table-size (hash-table (make-eqv-comparator) 1.5 'a 2 'b))) ; => p #f 2
(print (hash-table->alist (hash-table-unfold (lambda (n) (> n 3)) (lambda (n) (values n (* n n))) (lambda (n) (+ n 1)) 1 default))) ; => ((1 . 1) (2 . 4) (3 . 9))
(print (hash-table->alist (alist->hash-table '(("a" . 1) ("A" . 2) ("b" . 3)) texts)) (hash-table->alist (alist->hash-table '((a . 1)) eq?))) ; => ((a . 1) (b . 3)) ((a . 1))

; Predicates.
(print (hash-table? t) (hash-table? '()) (hash-table-contains? t 'a) (hash-table-contains? t 'z) (hash-table-exists? t "b")) ; => #t #f #t #f #t
(print (hash-table-empty? t) (hash-table-empty? (hash-table default)) (hash-table-mutable? t)) ; => #f #t #t
(print (hash-table=? default t (hash-table default "b" 2 3 3.0 'a 1)) (hash-table=? default t (hash-table default 'a 1)) (hash-table=? default (hash-table default 'a 1) (hash-table default 'a 2)) (hash-table=? default (hash-table default 'a 1) (hash-table default 'b 1))) ; => #t #f #f #f

; One key.
(print (hash-table-ref t 'a) (hash-table-ref t 'a (lambda () 'none) list) (hash-table-ref t 'z (lambda () 'none)) (hash-table-ref t 'z (lambda () 'none) list) (hash-table-ref/default t 'z 0)) ; => 1 (1) none none 0
(hash-table-set! t 'a 10 'c 30)
(hash-table-set! t)
(print (hash-table-delete! t "b" 'z 3) (hash-table->alist t) (hash-table-delete! t)) ; => 2 ((a . 10) (c . 30)) 0
(print (hash-table-intern! t 'a (lambda () 0)) (hash-table-intern! t 'd (lambda () 40)) (hash-table-ref t 'd)) ; => 10 40 40
(hash-table-update! t 'a (lambda (x) (+ x 1)))
(hash-table-update! t 'e (lambda (x) (+ x 1)) (lambda () 0))
(hash-table-update! t 'c list (lambda () 0) -)
(hash-table-update!/default t 'f (lambda (x) (cons 1 x)) '())
(hash-table-update!/default t 'f (lambda (x) (cons 2 x)) '())
(print (hash-table->alist t)) ; => ((a . 11) (c -30) (d . 40) (e . 1) (f 2 1))
(define one (hash-table default 'k 'v))
(print (values-of (hash-table-pop! one)) (hash-table-size one)) ; => (k v) 0
(hash-table-clear! t)
(print (hash-table-size t)) ; => 0

; All keys.
(define n (hash-table default 1 'one 2 'two 3 'three))
(print (hash-table-size n) (hash-table-keys n) (hash-table-values n) (values-of (hash-table-entries n))) ; => 3 (1 2 3) (one two three) ((1 2 3) (one two three))
(print (hash-table-find (lambda (k v) (and (even? k) v)) n (lambda () 'none)) (hash-table-find (lambda (k v) #f) n (lambda () 'none)) (hash-table-count (lambda (k v) (odd? k)) n)) ; => two none 2
(print (hash-table->alist (hash-table-map symbol->string default n)) (hash-table-map->list list n) (hash-table-fold (lambda (k v sum) (+ k sum)) 0 n) (hash-table-fold n (lambda (k v sum) (+ k sum)) 0)) ; => ((1 . one) (2 . two) (3 . three)) ((1 one) (2 two) (3 three)) 6 6
(hash-table-for-each (lambda (k v) (display (list k v))) n)
(hash-table-walk n (lambda (k v) (display k)))
(newline) ; => (1 one)(2 two)(3 three)123
(hash-table-map! (lambda (k v) (* k k)) n)
(print (hash-table->alist n)) ; => ((1 . 1) (2 . 4) (3 . 9))
(hash-table-prune! (lambda (k v) (> v 5)) n)
(print (hash-table->alist n)) ; => ((1 . 1) (2 . 4))
(define c (hash-table-copy n))
(define m (hash-table-copy n #t))
(define e (hash-table-empty-copy (hash-table texts "a" 1)))
(hash-table-set! c 9 9)
(hash-table-set! e "B" 2)
(print (hash-table->alist n) (hash-table->alist c) (hash-table->alist m) (hash-table-ref/default e "b" #f) (hash-table-size e)) ; => ((1 . 1) (2 . 4)) ((1 . 1) (2 . 4) (9 . 9)) ((1 . 1) (2 . 4)) 2 1

; Tables as sets.
(define (a) (hash-table default 1 'a 2 'a))
(define (b) (hash-table default 2 'b 3 'b))
(print (map (lambda (f) (hash-table->alist (f (a) (b)))) (list hash-table-union! hash-table-merge! hash-table-intersection! hash-table-difference! hash-table-xor!))) ; => (((1 . a) (2 . a) (3 . b)) ((1 . a) (2 . a) (3 . b)) ((2 . a)) ((1 . a)) ((1 . a) (3 . b)))
(define x (a))
(print (eq? x (hash-table-union! x (b)))) ; => #t

; Hash functions under their names of SRFI 69.
(print (eq? (hash-table-equivalence-function (make-hash-table texts)) string-ci=?) (eq? (hash-table-hash-function (make-hash-table texts)) string-ci-hash) (= (hash "a") (hash "a")) (= (string-hash "a") (string-hash "a")) (= (string-ci-hash "a") (string-ci-hash "A")) (exact-integer? (hash-by-identity 'a))) ; => #t #t #t #t #t #t

; Errors.
(print (message (lambda () (hash-table-ref (a) 9))) (message (lambda () (hash-table default 1 2 1 3))) (message (lambda () (hash-table-set! (a) 1))) (message (lambda () (hash-table-pop! (hash-table default))))) ; => hash-table-ref: no such key: hash-table: the key is there twice: hash-table-set!: expected alternating keys and values, got a key without a value hash-table-pop!: the table is empty
(print (message (lambda () (make-hash-table 5))) (message (lambda () (hash-table-size 5))) (message (lambda () (hash-table-union! (a) 5)))) ; => make-hash-table: expected a comparator or an equivalence, got 5 hash-table-size: expected a hash table, got 5 hash-table-union!: expected a hash table, got 5
(print (message (lambda () (hash-table-set! (make-hash-table (make-comparator char? (lambda (a b) (char=? a b)) #f #f)) #\a 1)))) ; => comparator-hash-function: the comparator has no hash function
(print (message (lambda () (hash-table-for-each (a) 5))) (message (lambda () (hash-table-update! (a) 9 list)))) ; => hash-table-for-each: expected a procedure, got 5 hash-table-update!: no such key:
