; Two values, which compiled programs hold like a pair, and other numbers of them.

(define-syntax message
  (syntax-rules ()
    ((_ e) (print (guard (x (#t (error-object-message x))) e)))))
(define (halves l)
  (if (or (null? l) (null? (cdr l)))
      (values l '())
      (receive (a b) (halves (cddr l))
        (values (cons (car l) a) (cons (cadr l) b)))))
(define (choose n x)
  (cond ((= n 0) (values))
        ((= n 1) (values x))
        ((= n 2) (values x (list x)))
        (else (values x (list x) n))))

(receive (a b) (halves (iota 7))
  (print a b))  ; => (0 2 4 6) (1 3 5)

; One of them, both, or neither are used, once or more.
(define (first n) (receive (a b) (choose n "x") a))
(define (second n) (receive (a b) (choose n "x") b))
(define (neither n) (receive (a b) (choose n "x") n))
(define (swapped n) (receive (a b) (choose n "x") (values b a)))
(print (first 2) (second 2) (neither 2))  ; => x (x) 2
(message (print (second 3)))
; => receive: expected 2 values, got 3
(message (print (second 1)))
; => receive: expected 2 values, got 1
(message (print (second 0)))
; => receive: expected 2 values, got 0
(receive (a b) (swapped 2) (print a b a b))  ; => (x) x (x) x

; The rest of them is a list.
(define (all n) (receive items (choose n 'x) items))
(define (tail n) (receive (a . more) (choose n 'x) more))
(print (map all '(0 1 2 3)))  ; => (() (x) (x (x)) (x (x) 3))
(print (map tail '(1 2 3)))  ; => (() ((x)) ((x) 3))
(message (print (tail 0)))
; => receive: expected at least 1 value, got 0
(print (call-with-values (lambda () (choose 2 'x)) list))  ; => (x (x))
(print (call-with-values (lambda () (choose 2 'x)) cons))  ; => (x x)

; An escape takes them, and so does a variable.
(define (escaped n) (call/cc (lambda (k) (if (= n 2) (k 1 (list 2)) (k 1)))))
(receive (a b) (escaped 2) (print a b))  ; => 1 (2)
(message (receive (a b) (escaped 1) (print a b)))
; => receive: expected 2 values, got 1
(define kept (choose 2 'x))
(print (begin kept))  ; => #<values x (x)>
(receive (a b) kept (print a b))  ; => x (x)
(receive (a b) kept (receive (c d) kept (print (eq? b d))))  ; => #t

; A failure while they are held releases them.
(define (failing n) (receive (a b) (choose n (list 1)) (car (car a)) b))
(message (print (failing 2)))
; => car: expected a pair, got 1
(define-values (p q) (choose 2 'y))
(print p q)  ; => y (y)
