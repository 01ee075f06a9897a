;; 4.2.2 and 5.3.2: letrec, letrec*, internal definitions, and variables that are not ready yet.

(print (letrec ((even? (lambda (n) (if (zero? n) #t (odd? (- n 1)))))
                (odd? (lambda (n) (if (zero? n) #f (even? (- n 1))))))
         (even? 88)))  ; => #t
(print (letrec* ((p (lambda (x) (+ 1 (q (- x 1)))))
                 (q (lambda (y) (if (zero? y) 0 (+ 1 (p (- y 1))))))
                 (x (p 5))
                 (y x))
         y))  ; => 5
(print (letrec ((a (lambda () b)) (b 3)) (a)))  ; => 3

;; Mentioned before, but called after: fine.
(define (later)
  (define (get) value)
  (define value 5)
  (list (get) value))
(print (later))  ; => (5 5)
(define (assigned)
  (define value 1)
  (define (set) (set! value (+ value 1)) value)
  (set)
  (set))
(print (assigned))  ; => 3

;; Used before: an error at the name, that can be caught.
(define (message-of thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message-of (lambda () (letrec ((x y) (y 2)) x))))
; => variable used before its definition: y
(define (too-soon)
  (define (get) value)
  (define first (message-of get))
  (define value 5)
  (list first (get) value))
(print (too-soon))  ; => (variable used before its definition: value 5 5)
(define (own)
  (define x (+ x 1))
  x)
(print (message-of own))  ; => variable used before its definition: x
(define (through-assigned)
  (define (get) value)
  (define old (message-of get))
  (define value 'now)
  (set! get (let ((before get)) (lambda () (list old (before)))))
  (get))
(print (through-assigned))  ; => (variable used before its definition: value now)
