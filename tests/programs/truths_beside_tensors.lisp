;; Tests in a program that uses tensors: a boolean tensor of one element counts by its element,
;; wherever it comes from, and values that no tensor reaches are tested without asking for one.

(define no (tensor-gt [1.0] [2.0]))
(define (said x) (if x "true" "false"))

(define (first-true l) (cond ((null? l) 'none) ((car l) (car l)) (else (first-true (cdr l)))))
(define (count l n) (if (pair? l) (count (cdr l) (if (car l) (+ n 1) n)) n))
(print (first-true (list #f 3)) (count (list 1 #f 2) 0))  ; => 3 2

;; Through containers, also those that are filled later.
(define filled (make-vector 2 1))
(vector-set! filled 1 no)
(define holder (list 1))
(define (put! to x) (set-car! to x))
(put! holder no)
(define table (make-hash-table))
(hash-set! table 'key (list no))
(define-record-type box (make-box content) box? (content content set-content!))
(define full (make-box 1))
(set-content! full no)
(print (said (vector-ref filled 1)) (said (car holder)) (said (car (hash-ref table 'key))))
; => false false false
(print (said (content full)) (said (vector-ref filled 0)))  ; => false true

;; Out of escapes, handlers, parameters and promises.
(define (leave k x) (for-each (lambda (y) (k y)) (list x)))
(print (said (call/cc (lambda (k) (leave k no) 1))))  ; => false
(define leaving '())
(print (said (call/cc (lambda (k) (set! leaving (list k)) ((car leaving) no) 1))))  ; => false
(print (said (guard (e (#t e)) (raise no))))  ; => false
(print (said (guard (e (#t (car (error-object-irritants e)))) (error "no" no))))  ; => false
(print (said (with-exception-handler (lambda (e) no) (lambda () (raise-continuable 1)))))  ; => false
(define chosen (make-parameter 1))
(print (parameterize ((chosen no)) (said (chosen))))  ; => false
(print (said (force (delay no))))  ; => false

;; Through unknown calls, rest lists, keywords, several values and assigned variables.
(define calls (list said (lambda (x :by 1) (said by)) (lambda all (said (cadr all)))))
(print ((car calls) no) ((cadr calls) 1 :by no) ((caddr calls) 1 no))  ; => false false false
(print (apply (caddr calls) (list 1 no)))  ; => false
(print (call-with-values (lambda () (values 1 no)) (lambda (a b) (said b))))  ; => false
(define counter (let ((now 1)) (lambda (x) (let ((before now)) (set! now x) (said before)))))
(print (counter no) (counter 1))  ; => true false
(define (compose f g) (lambda (x) (f (g x))))
(print ((compose said tensor-logical-not) no) ((compose said car) (list no)))  ; => true false

;; The call procedure of a module gets the module first.
(define-module (teller) ((weight [1.0] :parameter)) (forward (x) (said x)))
(print ((teller) no) (map (teller) (list no 1)))  ; => false (false true)

;; LibTorch calls the procedures of custom gradients with tensors.
(define twice
  (custom-gradient
    (lambda (x) (* x 2))
    (lambda (g x y) (print (said (tensor-gt g 3))) (* g 2))))
(define x (requires-grad! [1.0]))
(backward (tensor-sum (twice x)))  ; => false
(print (tensor-grad x))  ; => [2.0]

(define several (list [#t #f]))
(print (guard (e (#t (error-object-message e))) (said (car several))))
; => a bool tensor of shape (2) has no single truth value
