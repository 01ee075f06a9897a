; SRFI 69: hash tables with an equivalence of the program's own.
(import (srfi 69))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (same-remainder? a b) (= (modulo a 5) (modulo b 5)))
(define (remainder-hash n) (modulo n 5))

; Every procedure on one table.
(define t (make-hash-table string-ci=? string-ci-hash))
(hash-table-set! t "Abc" 1)
(hash-table-set! t "x" 2)
(hash-table-set! t "aBC" 3)
(print t (hash-table? t) (hash-table-size t) (hash-table-count t)) ; => #<hash-table Abc: 3 x: 2> #t 2 2
(print (hash-table-ref t "ABC") (hash-table-ref t "y" (lambda () 'none)) (hash-table-ref t "X" (lambda () 'none) list) (hash-table-ref/default t "abc" 0) (hash-table-ref/default t "y" 0)) ; => 3 none (2) 3 0
(print (hash-table-exists? t "ABC") (hash-table-exists? t "y") (hash-table-contains? t "X")) ; => #t #f #t
(hash-table-update! t "ABC" (lambda (n) (* n 10)))
(hash-table-update! t "New" (lambda (n) (+ n 1)) (lambda () 6))
(hash-table-update!/default t "NEW" (lambda (n) (+ n 1)) 0)
(hash-table-update!/default t "z" (lambda (l) (cons 1 l)) '())
(hash-update! t "Z" (lambda (l) (cons 2 l)))
(print (hash-table-keys t) (hash-table-values t)) ; => (Abc x New z) (30 2 8 (2 1))
(print (hash-table->alist t) (hash-size t) (hash-keys t)) ; => ((Abc . 30) (x . 2) (New . 8) (z 2 1)) 4 (Abc x New z)
(hash-table-walk t (lambda (key value) (display (list key value)))) (newline) ; => (Abc 30)(x 2)(New 8)(z (2 1))
(print (hash-table-fold t (lambda (key value result) (cons key result)) '())) ; => (z New x Abc)
(define c (hash-table-copy t))
(hash-table-delete! t "ABC")
(hash-table-delete! t "ABC")
(hash-table-set! c "X" 'changed)
(print t c) ; => #<hash-table x: 2 New: 8 z: (2 1)> #<hash-table Abc: 30 x: changed New: 8 z: (2 1)>
(hash-table-set! t "abc" 'again)
(print (hash-table-merge! t c) (eq? t (hash-table-merge! t (hash-table "NEW" 0)))) ; => #<hash-table x: changed New: 0 z: (2 1) abc: 30> #t
(print (hash-table-merge! (make-hash-table) t)) ; => #<hash-table x: changed New: 0 z: (2 1) abc: 30>
(print (eq? string-ci=? (hash-table-equivalence-function t)) (eq? string-ci-hash (hash-table-hash-function c))) ; => #t #t
(hash-table-clear! t)
(hash-table-set! t "Q" 1)
(hash-table-set! t "q" 2)
(print t) ; => #<hash-table Q: 2>
(print (alist->hash-table '(("a" . 1) ("A" . 2) ("b" . 3)) string-ci=? string-ci-hash)) ; => #<hash-table a: 1 b: 3>

; The hash function may take a bound or not, and may give any exact integer.
(define (filled equivalence . hash)
  (let ((t (apply make-hash-table equivalence hash)))
    (for-each (lambda (n) (hash-table-update!/default t n (lambda (l) (cons n l)) '())) '(7 3 12 -2 8 5))
    t))
(print (filled same-remainder? remainder-hash)) ; => #<hash-table 7: (12 7) 3: (8 -2 3) 5: (5)>
(print (filled same-remainder? (lambda (n bound) (modulo (remainder-hash n) bound)))) ; => #<hash-table 7: (12 7) 3: (8 -2 3) 5: (5)>
(print (filled same-remainder? (lambda (n . bound) (* -1000000000000000000000 (remainder-hash n))))) ; => #<hash-table 7: (12 7) 3: (8 -2 3) 5: (5)>
(print (filled same-remainder?) (filled same-remainder? #f)) ; => #<hash-table 7: (12 7) 3: (8 -2 3) 5: (5)> #<hash-table 7: (12 7) 3: (8 -2 3) 5: (5)>
(print (filled same-remainder? (case-lambda ((n) (remainder-hash n)) ((n bound) 'never)))) ; => #<hash-table 7: (12 7) 3: (8 -2 3) 5: (5)>

; Without a hash function: what is known of =, char-ci=? and string-ci=?, and what is not.
(define (groups equivalence keys)
  (let ((t (make-hash-table equivalence)))
    (for-each (lambda (key) (hash-table-update!/default t key (lambda (n) (+ n 1)) 0)) keys)
    t))
(print (groups = (list 1 1.0 0.5 1/2 (expt 2 70) (expt 2.0 70) 0.0 -0.0 1e300 9007199254740993 9007199254740992.0))) ; => #<hash-table 1: 2 0.5: 2 1180591620717411303424: 2 0.0: 2 1e300: 1 9007199254740993: 1 9007199254740992.0: 1>
(print (groups char-ci=? '(#\a #\A #\λ #\Λ #\1))) ; => #<hash-table a: 2 λ: 2 1: 1>
(print (groups string-ci=? '("straße" "STRASSE" "a"))) ; => #<hash-table straße: 2 a: 1>
(print (groups (lambda (a b) (= (length a) (length b))) '((1) () (2) (3 4)))) ; => #<hash-table (1): 2 (): 1 (3 4): 1>
(print (groups char=? '(#\a #\A #\a)) (groups symbol=? '(a b a))) ; => #<hash-table a: 2 A: 1> #<hash-table a: 2 b: 1>
(print (map (lambda (f) ((hash-table-hash-function (make-hash-table f)) 5)) (list = same-remainder?))) ; => (5 0)

; Many keys, deletions among them, and what procedures do to the table that calls them.
(define many (make-hash-table = (lambda (n) (exact (modulo n 5)))))
(dotimes (i 300) (hash-table-set! many i (* i i)))
(dotimes (i 300) (unless (= (modulo i 50) 7) (hash-table-delete! many (* 1.0 i))))
(print many) ; => #<hash-table 7: 49 57: 3249 107: 11449 157: 24649 207: 42849 257: 66049>
(define odd-one #f)
(define (clearing? a b) (hash-table-clear! odd-one) (= a b))
(set! odd-one (make-hash-table clearing? (lambda (x) 0)))
(hash-table-set! odd-one 1 'a)
(hash-table-set! odd-one 1 'b)
(print (hash-table-size odd-one) (hash-table-ref/default odd-one 1 (quote gone)) (hash-table-size odd-one)) ; => 1 gone 0
(define k (list 1))
(define by-car (make-hash-table (lambda (a b) (= (car a) (car b))) car))
(hash-table-set! by-car k 'k)
(print (hash-table-ref by-car (list 1)) (hash-table-ref/default by-car (list 2) 'no) (equal? by-car by-car) (equal? by-car (hash-table-copy by-car))) ; => k no #t #f

; Mistakes.
(print (message (lambda () (hash-table-ref t "none")))) ; => hash-table-ref: no such key:
(print (message (lambda () (make-hash-table 5)))) ; => make-hash-table: expected a procedure of 2 keys, got 5
(print (message (lambda () (make-hash-table car)))) ; => make-hash-table: expected a procedure of 2 keys, got a procedure
(print (message (lambda () (make-hash-table same-remainder? 5)))) ; => make-hash-table: expected a hash function of 1 or 2 arguments, got 5
(print (message (lambda () (make-hash-table equal? (lambda () 1))))) ; => make-hash-table: expected a hash function of 1 or 2 arguments, got a procedure
(print (message (lambda () (alist->hash-table '((1 . 2)) = (lambda (a b c) 1))))) ; => make-hash-table: expected a hash function of 1 or 2 arguments, got a procedure
(define bad (make-hash-table = (lambda (n) (/ n 2))))
(hash-table-set! bad 4 'four)
(print (message (lambda () (hash-table-set! bad 5 'five)))) ; => hash-table-set!: expected an exact integer from the hash function, got 5/2
(print (message (lambda () (hash-table-exists? bad 4.0)))) ; => hash-table-exists?: expected an exact integer from the hash function, got 2.0
(print (message (lambda () (hash-table-set! (make-hash-table =) 'x 1)))) ; => =: expected a number, got x
(print (message (lambda () (hash-table-set! (make-hash-table string-ci=?) 'x 1)))) ; => string-ci-hash: expected a string, got x
(print (message (lambda () (hash-table-set! (make-hash-table char-ci=?) "x" 1)))) ; => char-ci=?: expected a character, got "x"
(print (message (lambda () (hash-table-delete! (make-hash-table = (lambda (n) (error "no hash"))) 1)))) ; => no hash
; hash-ref and its kin know equal? and eqv? alone.
(print (message (lambda () (hash-ref c "X")))) ; => hash-ref: expected a hash table by equal? or eqv?, got #<hash-table "Abc": 30 "x": changed "New": 8 "z": (2 1)>
(print (map (lambda (f) (message (lambda () (f bad)))) (list (lambda (t) (hash-set! t 1 2)) (lambda (t) (hash-delete! t 1)) (lambda (t) (hash-has-key? t 1))))) ; => (hash-set!: expected a hash table by equal? or eqv?, got #<hash-table 4: four> hash-delete!: expected a hash table by equal? or eqv?, got #<hash-table 4: four> hash-has-key?: expected a hash table by equal? or eqv?, got #<hash-table 4: four>)
