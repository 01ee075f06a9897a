;; Inlined procedures: values, order of evaluation, tail calls, redefinition.

(define (show . items)
  (for-each display items)
  (newline))

;; The arguments of an inlined call are evaluated once, from left to right.
(define log '())
(define (note x) (set! log (cons x log)) x)
(define (second a b c) b)
(define (use x) (+ (second (note x) (note (+ x 1)) (note (+ x 2))) 10))
(define (order)
  (set! log '())
  (let ((value (use 1)))
    (list value (reverse log))))
(print (order))                         ; => (12 (1 2 3))

;; A parameter that is assigned does not change the caller's variable.
(define (bump x) (set! x (+ x 1)) x)
(define (bumped y) (list (bump y) y (bump y)))
(print (bumped 1))                      ; => (2 1 2)

;; Variables of the same name do not meet.
(define (swap x y) (list y x))
(define (swaps y x) (list (swap x y) (swap y x) (let ((x 1) (y 2)) (swap x y))))
(print (swaps 'a 'b))                   ; => ((a b) (b a) (2 1))

;; Rest parameters.
(define (tail-of first . rest) rest)
(define (rests x) (list (tail-of x) (tail-of 1 x) (tail-of 1 x x)))
(print (rests 'r))                      ; => (() (r) (r r))

;; Keyword parameters.
(define (scaled x :by 2 :plus 0) (+ (* x by) plus))
(define (scales x) (list (scaled x) (scaled x :plus 1) (scaled x :plus x :by 3)))
(print (scales 5))                      ; => (10 11 20)

;; A global that is assigned is read at each call.
(define step 1)
(define (next x) (+ x step))
(define (steps x)
  (let ((one (next x)))
    (set! step 10)
    (list one (next x))))
(print (steps 1))                       ; => (2 11)

;; A procedure that is assigned is not the one that was defined.
(define (greeting) 'hello)
(define (greet) (greeting))
(define (greetings)
  (let ((before (greet)))
    (set! greeting (lambda () 'bye))
    (list before (greet))))
(print (greetings))                     ; => (hello bye)

;; A procedure that is defined twice.
(define (twice-defined) 1)
(define (first-use) (twice-defined))
(define before (first-use))
(define (twice-defined) 2)
(print before (first-use))              ; => 1 2

;; Procedures that are given procedures, of the program and of the library.
(define (twice f x) (f (f x)))
(define (keep ok? items)
  (cond ((null? items) '())
        ((ok? (car items)) (cons (car items) (keep ok? (cdr items))))
        (else (keep ok? (cdr items)))))
(define (compose f g) (lambda (x) (f (g x))))
(define (given n)
  (list (twice (lambda (x) (* x n)) 3)
        (twice cdr '(1 2 3))
        (keep (lambda (x) (> x n)) '(1 2 3 4))
        (keep odd? '(1 2 3 4))
        (map (compose (lambda (x) (+ x n)) -) '(1 2))
        (sort (vector 3 1 2) (lambda (a b) (> a b)))
        (vector-map (lambda (x) (* x x)) #(1 2 3))
        (fold-left + 0 (map car '((1) (2))))))
(print (given 2))  ; => (12 (3) (3 4) (1 3) (1 0) #(3 2 1) #(1 4 9) 3)
;; Each closure has its own variables.
(define (counter)
  (let ((n 0))
    (lambda () (set! n (+ n 1)) n)))
(define (counts)
  (let ((a (counter)) (b (counter)))
    (a)
    (list (a) (b))))
(print (counts))                        ; => (2 1)

;; The same object, however often it is returned.
(define (constant) '(1 2))
(define (text) "abc")
(define (same) (list (eq? (constant) (constant)) (eq? (text) (text))))
(print (same))                          ; => (#t #t)

;; Tail calls out of inlined procedures need no stack.
(define (jump-to f n) (f n))
(define (down n) (if (= n 0) 'down (jump-to up (- n 1))))
(define (up n) (if (= n 0) 'up (jump-to down (- n 1))))
(print (down 1000001))                  ; => up
(define (choose n yes no) (if (= n 0) (yes) (no)))
(define (count-down n)
  (choose n (lambda () 'done) (lambda () (count-down (- n 1)))))
(print (count-down 1000000))            ; => done

;; Tests that constants decide, and those that look like it.
(define (flag) #f)
(define (chosen x) (if (flag) (car x) (if (not (flag)) x 'never)))
(print (chosen 3))                      ; => 3
(define (empty) '())
(define (lists) (list (null? (empty)) (pair? (empty)) (if (empty) 1 2)))
(print (lists))                         ; => (#t #f 1)

;; apply with a list that is known.
(define (three a b c) (list c b a))
(define (applied x) (list (apply three (list 1 x 3)) (apply three 1 2 (list x))
                          (apply twice (list - x))))
(print (applied 2))                     ; => ((3 2 1) (2 2 1) 2)

;; Local procedures that are small, called many times, and used as values.
(define (local n)
  (define (add x) (+ x n))
  (list (add 1) (add 2) (map add '(3 4)) (procedure? add)))
(print (local 10))                      ; => (11 12 (13 14) #t)

;; Variables that hold one number, boolean or character are constants; others are read.
(define limit 100)
(define rate 0.5)
(define verbose? #f)
(define (scaled x) (if verbose? (print x)) (if (< x limit) (* x rate) limit))
(print (scaled 10.0) (scaled 500) (let ((limit 1)) (+ limit 1)))   ; => 5.0 100 2
(define (later-value) later)
(define later 5)
(print (later-value))                   ; => 5
(define changing 1)
(define (change!) (set! changing (+ changing rate)))
(change!)
(print changing)                        ; => 1.5
(print (guard (e (#t (error-object-message e))) (limit 5)))   ; => not a procedure: 100
