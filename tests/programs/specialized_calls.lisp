; Procedures that are given to the library's: executables copy the library's for them.

(define (sum-of items)
  (let ((total 0))
    (for-each (lambda (x) (set! total (+ total x))) items)
    total))
(print (sum-of '(1 2 3)))  ; => 6

(define (double x) (* 2 x))
(define (doubled items) (map double items))
(print (doubled '(1 2)) (map - '(1 2)) (map car '((1) (2))))  ; => (2 4) (-1 -2) (1 2)
(print (fold + 0 '(1 2 3)) (fold cons '() '(1 2)) (fold - 0 '(1 2)))  ; => 6 (2 1) 1
(print (map (lambda (x . rest) (cons x rest)) '(1 2)))  ; => ((1) (2))
(print (map (lambda (x :k 3) (+ x k)) '(1 2)))  ; => (4 5)

; What a lambda sees, and what it changes, is what it was around it.
(define (table n)
  (map (lambda (i) (map (lambda (j) (* i j n)) '(1 2))) '(3 4)))
(print (table 10))  ; => ((30 60) (40 80))
(define (counter)
  (let ((n 0))
    (list (lambda () (set! n (+ n 1)) n) (lambda () n))))
(define both (counter))
(for-each (lambda (x) ((car both))) '(a b c))
(print ((cadr both)))  ; => 3
(print (map (let ((n 0)) (lambda (x) (set! n (+ n x)) n)) '(1 2 3)))  ; => (1 3 6)

; Procedures that a copied lambda makes live on.
(define adders (map (lambda (x) (lambda (y) (+ x y))) '(1 2)))
(print (map (lambda (f) (f 10)) adders))  ; => (11 12)

; Local procedures, recursion, and tail calls.
(define (evens items)
  (define (even-number? x) (if (= x 0) #t (odd-number? (- x 1))))
  (define (odd-number? x) (if (= x 0) #f (even-number? (- x 1))))
  (filter even-number? items))
(print (evens '(1 2 100000)))  ; => (2 100000)
(define (deep n)
  (if (= n 0) '() (map (lambda (x) (+ x 1)) (cons n (deep (- n 1))))))
(print (fold + 0 (deep 100)))  ; => 10100
(define (steps n)
  (if (> n 0) (begin (for-each (lambda (x) x) '(1)) (steps (- n 1))) 'done))
(print (steps 100000))  ; => done
(print (sort '(3 1 2) (lambda (a b) (< a b))) (sort '("b" "a") string<?))  ; => (1 2 3) (a b)

; Escapes, exceptions, values and dynamic extents.
(define (first-large items)
  (call/cc
   (lambda (return)
     (for-each (lambda (x) (if (> x 2) (return x))) items)
     'none)))
(print (first-large '(1 2 3 4)) (first-large '(1)))  ; => 3 none
(define kept #f)
(print (map (lambda (x) (call/cc (lambda (k) (if (= x 2) (set! kept k)) x))) '(1 2 3)))  ; => (1 2 3)
(print (procedure? kept))  ; => #t
(define (careful items)
  (map (lambda (x) (guard (e (#t 'bad)) (+ x 1))) items))
(print (careful '(1 a 2)))  ; => (2 bad 3)
(print (with-exception-handler
        (lambda (e) 10)
        (lambda () (+ 1 (raise-continuable 'c)))))  ; => 11
(call-with-values (lambda () (values 1 2)) (lambda (a b) (print a b)))  ; => 1 2
(dynamic-wind
 (lambda () (print 'in))   ; => in
 (lambda () (print 'at))   ; => at
 (lambda () (print 'out))) ; => out

; Tensors die where they did.
(define (norms tensors)
  (map (lambda (x) (tensor-item (tensor-sum (* x x)))) tensors))
(print (norms (list (tensor-ones 2) (tensor-ones 3 3))))  ; => (2.0 9.0)

; A parameter that shadows a name of the library, and a redefined library procedure.
(define (apply-to map items) (for-each (lambda (x) (map x)) items))
(apply-to (lambda (x) (print x)) '(1))  ; => 1
(define (filter keep? items) (list 'own (keep? (car items))))
(print (filter (lambda (x) (even? x)) '(1 2)))  ; => (own #f)
