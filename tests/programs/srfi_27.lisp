; SRFI 27: sources of random numbers.
(import (srfi 27))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (times n f) (if (= n 0) '() (let ((x (f))) (cons x (times (- n 1) f)))))

; The numbers of MRG32k3a with all states 12345, by its formula in Python's integers.
(define first (make-random-source))
(define draw (random-source-make-integers first))
(print (times 5 (lambda () (draw 4294967087)))) ; => (545508589 1368065410 1327943761 3546985096 951893194)

; Ranges.
(print (every (lambda (n) (and (exact-integer? n) (<= 0 n 5))) (times 200 (lambda () (random-integer 6)))) (random-integer 1)) ; => #t 0
(print (every (lambda (x) (and (inexact? x) (< 0 x 1))) (times 200 random-real))) ; => #t
(define big (expt 10 40))
(print (every (lambda (n) (< -1 n big)) (times 50 (lambda () (random-integer big)))) (any (lambda (n) (> n (expt 10 38))) (times 50 (lambda () (random-integer big))))) ; => #t #t
(print (length (delete-duplicates (times 300 (lambda () (random-integer 7)))))) ; => 7
(define thirds (random-source-make-reals first 1/3))
(print (every (lambda (x) (pair? (memv x '(1/4 1/2 3/4)))) (times 60 thirds)) (length (delete-duplicates (times 60 thirds)))) ; => #t 3
(define coarse (random-source-make-reals first 0.5))
(print (every (lambda (x) (and (inexact? x) (< 0 x 1))) (times 60 coarse)) (< 0 ((random-source-make-reals first)) 1)) ; => #t #t

; States.
(print (random-source? default-random-source) (random-source? (make-random-source)) (random-source? 5)) ; => #t #t #f
(define s (make-random-source))
(define r (make-random-source))
(define s-integers (random-source-make-integers s))
(define r-integers (random-source-make-integers r))
(define (same?) (equal? (times 20 (lambda () (s-integers 1000))) (times 20 (lambda () (r-integers 1000)))))
(print (same?)) ; => #t
(random-source-pseudo-randomize! s 1 2)
(print (same?)) ; => #f
(random-source-pseudo-randomize! s 1 2)
(random-source-pseudo-randomize! r 1 2)
(print (same?)) ; => #t
(random-source-pseudo-randomize! r 2 1)
(print (same?)) ; => #f
(random-source-state-set! r (random-source-state-ref s))
(print (same?) (list? (random-source-state-ref s))) ; => #t #t
(random-source-randomize! s)
(print (same?)) ; => #f
(random-source-pseudo-randomize! default-random-source 0 0)
(define some (times 5 (lambda () (random-integer 100))))
(random-source-pseudo-randomize! default-random-source 0 0)
(print (equal? some (times 5 (lambda () (random-integer 100))))) ; => #t

; The mean of many numbers is near the middle.
(random-source-pseudo-randomize! default-random-source 3 4)
(print (< 0.48 (/ (apply + (times 2000 random-real)) 2000) 0.52)) ; => #t

; Errors.
(print (message (lambda () (random-integer 0))) (message (lambda () (draw -1))) (message (lambda () (random-source-make-reals 5)))) ; => random-integer: expected a positive exact integer, got 0 random-source-make-integers: expected a positive exact integer, got -1 random-source-make-reals: expected a random source, got 5
(print (message (lambda () (random-source-state-set! s '(1 2)))) (message (lambda () (random-source-pseudo-randomize! s -1 0))) (message (lambda () (random-source-make-reals s 2)))) ; => random-source-state-set!: expected a state of a random source, got (1 2) random-source-pseudo-randomize!: expected a non-negative exact integer, got -1 random-source-make-reals: expected a number between 0 and 1, got 2
