;; Definitions: at the top level, in bodies, in `begin`; syntax definitions.
(define add3 (lambda (x) (+ x 3)))
(print (add3 3))  ; => 6
(define first-of car)
(print (first-of '(1 2)))  ; => 1
(define (variadic a . rest) (list a rest))
(print (variadic 1) (variadic 1 2 3))  ; => (1 ()) (1 (2 3))
(define x 28)
(define x (+ x 1))
(print x)  ; => 29
;; Definitions after expressions, and in begin.
(define (mixed)
  (define a 1)
  (set! a (+ a 1))
  (define b (* a 10))
  (begin (define c 3) (begin) (define (d) (+ a b c)))
  (print 'between)
  (define e (d))
  (list a b c e))
(print (mixed))
; => between
; => (2 20 3 25)
(print (let ((x 5))
         (define foo (lambda (y) (bar x y)))
         (define bar (lambda (a b) (+ (* a b) a)))
         (foo (+ x 3))))  ; => 45
(define (parity n)
  (define (even? n) (if (= n 0) 'even (odd? (- n 1))))
  (define (odd? n) (if (= n 0) 'odd (even? (- n 1))))
  (even? n))
(print (parity 10) (parity 7))  ; => even odd
;; A body's names hide those around it in all of the body.
(define y 'outer)
(define (hides)
  (define (get) y)
  (define y 'inner)
  (get))
(print (hides))  ; => inner
;; define-values in bodies and at the top level.
(define-values (p q) (floor/ 17 5))
(define-values (head . others) (values 1 2 3))
(define-values all (values 1 2))
(print p q head others all)  ; => 3 2 1 (2 3) (1 2)
(print (let ()
         (define-values (a b) (values 1 2))
         (define-values (c . d) (values a b))
         (list a b c d)))  ; => (1 2 1 (2))
;; R7RS 5.3.3 and 5.4.
(print (let ((x 1) (y 2))
         (define-syntax swap!
           (syntax-rules ()
             ((swap! a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
         (swap! x y)
         (list x y)))  ; => (2 1)
(define (uses-local-macro l)
  (define-syntax each
    (syntax-rules (in) ((_ v in list body) (map (lambda (v) body) list))))
  (define doubled (each v in l (* 2 v)))
  (define-record-type pair-of (make-pair-of a b) pair-of? (a left) (b right))
  (each v in doubled (right (make-pair-of 'unused v))))
(print (uses-local-macro '(1 2 3)))  ; => (2 4 6)
;; A body may name its variables after words, and define after it has used them.
(define (words define) (let ((begin define)) (list begin define)))
(print (words 1))  ; => (1 1)
(begin
  (define in-begin 1)
  (print 'running))
; => running
(print in-begin)  ; => 1
(begin)
(let ()
  (begin (define z 1))
  (begin (print z)))  ; => 1
