; SRFI 69, hash tables; 111, boxes; and the forms of SRFI 2, 26, 31, 45, 145.
(import (srfi 69) (prefix (only (srfi 111) box unbox) b:) (srfi 2) (srfi 26) (srfi 31) (srfi 45) (srfi 145))
(define a (list 1 2))
(define a2 (list 1 2))
(define t (make-hash-table eq?))
(hash-table-set! t a 'first) (hash-table-set! t a2 'second) (hash-table-set! t 5 'five) (hash-table-set! t 'x 1) (hash-table-set! t 1.5 'f)
(print (hash-table-ref/default t a #f) (hash-table-ref/default t a2 #f) (hash-table-ref/default t (list 1 2) 'none) (hash-table-ref t 5) (hash-table-ref/default t 'x 0) (hash-table-ref/default t 1.5 0) (hash-table-size t)) ; => first second none five 1 f 5
(define c (hash-table-copy t)) (hash-table-delete! c a)
(print (hash-table-exists? c a) (hash-table-exists? c a2) (eq? eq? (hash-table-equivalence-function c)) (eq? equal? (hash-table-equivalence-function (make-hash-table)))) ; => #f #t #t #t
(print (hash-table->alist (hash-table-merge! (alist->hash-table '((a . 1) (b . 2)) equal?) (alist->hash-table '((b . 3) (c . 4)))))) ; => ((a . 1) (b . 3) (c . 4))
(print (= (hash "abc") (hash (string-append "ab" "c"))) (= (hash '(1 "x" #\a)) (hash (list 1 "x" #\a))) (hash "abc" 1) (< (hash 'sym 10) 10) (= (string-hash "Ab") (string-hash "ab")) (= (string-ci-hash "Ab") (string-ci-hash "aB")) (hash-by-identity '(1))) ; => #t #t 0 #t #f #t 0
(print ((hash-table-hash-function (make-hash-table)) 5 3) (hash -7) (hash 1/2) (hash 1.5)) ; => 2 4294967284 55547 55519
(print (and-let* ((x 5) ((> x 3)) (y (* x 2))) (+ x y)) (and-let* ((x #f)) 1) (and-let* ()) (and-let* ((x 3))) (let ((z 4)) (and-let* (z ((= z 4))) 'yes))) ; => 15 #f #t 3 yes
(print ((cut list 1 <> 3 <>) 2 4) ((cut + 1 <...>) 2 3) ((cute list <> (+ 1 2)) 1) ((cut <> 1 2) +) (map (cut * 2 <>) '(1 2)) ((cut list)) ((cute + <> 1 <...>) 3 4)) ; => (1 2 3 4) 6 (1 3) 3 (2 4) () 8
(print ((rec (f n) (if (= n 0) 1 (* n (f (- n 1))))) 5)) ; => 120
(print (force (lazy (delay 3))) (force (eager 4)) (assume (> 2 1))) ; => 3 4 #t
(define named (make-hash-table string=? string-hash))
(hash-set! named "k" 1)
(print (hash-ref named "k") (hash-size (make-hash-table equal? hash 100)) (map (lambda (f) (hash-table? (f))) (list make-hash-table)) (unbox (b:box 3))) ; => 1 0 (#t) 3
(define count 0)
(define (next) (set! count (+ count 1)) count)
(define cutting (cut list (next) <>))
(define cuting (cute list (next) <>))
(print (cutting 'a) (cutting 'b) (cuting 'a) (cuting 'b) count) ; => (2 a) (3 b) (1 a) (1 b) 3
(define b (box 1))
(set-box! b 2)
(print b (unbox b) (box? b) (box? 1) (unbox (make-box 4))) ; => #<box content: 2> 2 #t #f 4
(define (message thunk) (guard (e (#t (list (error-object-message e) (length (error-object-irritants e))))) (thunk)))
(print (message (lambda () (assume (= 1 2) "x" 5)))) ; => (assumption does not hold: 3)
(print (message (lambda () (unbox 5)))) ; => (unbox: expected a box, got 5 0)
(print (message (lambda () (make-hash-table eq? hash 1 2)))) ; => #<hash-table>
(print (message (lambda () (hash "a" 0)))) ; => (hash: expected a positive exact integer, got 0 0)
(print (message (lambda () (hash-table-equivalence-function 5)))) ; => (hash-table-equivalence-function: expected a hash table, got 5 0)
(print (cond-expand ((and srfi-1 srfi-69 srfi-133 (library (srfi 1)) (not srfi-13)) 'whole) (else 'not))) ; => whole
; Errors name the procedure of SRFI 69 that was called.
(print (message (lambda () (hash-table-ref (make-hash-table) 'x)))) ; => (hash-table-ref: no such key: 1)
(print (message (lambda () (hash-table-update! (make-hash-table) 'x abs)))) ; => (hash-table-update!: no such key: 1)
(print (message (lambda () (hash-table-set! 5 1 2)))) ; => (hash-table-set!: expected a hash table, got 5 0)
(print (message (lambda () (hash-table-fold '() + 0)))) ; => (hash-table-fold: expected a hash table, got () 0)
(print (message (lambda () (hash-table-merge! (make-hash-table) 5)))) ; => (hash-table-merge!: expected a hash table, got 5 0)
(define u (make-hash-table))
(hash-table-update! u 'n (lambda (x) (+ x 1)) (lambda () 4))
(hash-table-update! u 'n (lambda (x) (* x 2)))
(hash-table-update!/default u 'm (lambda (x) (cons 1 x)) '())
(print u) ; => #<hash-table n: 10 m: (1)>
