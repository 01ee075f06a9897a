; A closure owns what it captures; two closures over one variable share it.
(define (make-counter)
  (let ((n 0))
    (lambda () (set! n (+ n 1)) n)))
(define a (make-counter))
(define b (make-counter))
(a) (a)
(print (a) (b))                                   ; => 3 1
(define (make-account balance)
  (define (deposit amount) (set! balance (+ balance amount)) balance)
  (define (withdraw amount) (set! balance (- balance amount)) balance)
  (list deposit withdraw (lambda () balance)))
(define account (make-account 100))
((car account) 50)
((cadr account) 30)
(print ((caddr account)))                         ; => 120
(define (adder n) (lambda (x) (+ x n)))
(print (map (adder 10) '(1 2 3)))                 ; => (11 12 13)
(define adders (map adder '(1 2 3)))
(print (map (lambda (f) (f 10)) adders))          ; => (11 12 13)
(define (outer x) (lambda (y) (lambda (z) (list x y z))))
(print (((outer 1) 2) 3))                         ; => (1 2 3)
(define fns (let loop ((i 0) (l '())) (if (= i 3) (reverse l) (loop (+ i 1) (cons (lambda () i) l)))))
(print (map (lambda (f) (f)) fns))                ; => (0 1 2)
(define (twice f) (lambda (x) (f (f x))))
(print (((twice twice) (lambda (x) (* x 2))) 1))  ; => 16
(define (unused a b) (lambda () a))
(print ((unused "kept" "dropped")))               ; => kept
((lambda (x . rest) (print x rest)) 1 2 3)        ; => 1 (2 3)
(print (let ((x 'outer)) (let ((f (lambda () x))) (let ((x 'inner)) (f))))) ; => outer
(print (let loop ((i 0)) (if (< i 10) (loop (+ i 1)) i))) ; => 10
(define (self-reference) (letrec ((f (lambda (n) (if (= n 0) 'done (f (- n 1)))))) f))
(print ((self-reference) 5))                      ; => done
; Each call of a loop has its own x, also where the loop passes x on and the body assigns it.
(define (counted x readers)
  (if (= (length readers) 3)
      (map (lambda (read) (read)) readers)
      (begin (set! x (+ x 1)) (counted x (cons (lambda () x) readers)))))
(print (counted 0 '()))                           ; => (3 2 1)
; A procedure that makes a closure captures what only the closure uses.
(define (later x) (delay (lambda () x)))
(print ((force (later 'kept))))                   ; => kept
(define (thrice x) (lambda () (lambda () (lambda () x))))
(print ((((thrice 'deep)))))                      ; => deep
