;; syntax-rules: hygiene, ellipses, literals, macros that define macros.
(define-syntax swap!
  (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
(define x 1)
(define tmp 2)
(swap! x tmp)
(print x tmp)  ; => 2 1
(define-syntax my-or
  (syntax-rules ()
    ((_) #f)
    ((_ e) e)
    ((_ e r ...) (let ((t e)) (if t t (my-or r ...))))))
(print (let ((t 5)) (my-or #f t)))  ; => 5
(print (let ((if list)) (my-or 1 2)))  ; => 1
(define-syntax my-let
  (syntax-rules () ((_ ((n v) ...) . body) ((lambda (n ...) . body) v ...))))
(print (my-let ((a 1) (b 2)) (+ a b)))  ; => 3
(define-syntax while
  (syntax-rules () ((_ c b ...) (let loop () (when c b ... (loop))))))
(define i 0)
(while (< i 2) (print i) (set! i (+ i 1)))
; => 0
; => 1
(define-syntax def2
  (syntax-rules () ((_ a b v) (begin (define a v) (define b v)))))
(def2 p q 7)
(print p q)  ; => 7 7
(define (f) (def2 m n 8) (+ m n))
(print (f))  ; => 16
(define-syntax be-like-begin
  (syntax-rules ()
    ((_ name)
     (define-syntax name
       (syntax-rules () ((_ expr (... ...)) (begin expr (... ...))))))))
(be-like-begin sequence)
(print (sequence 1 2 3 4))  ; => 4
(print (let ((=> #f)) (cond (#t => 'ok))))  ; => ok
(define-syntax parts
  (syntax-rules () ((_ #(a b ...)) (list a '(b ...)))))
(print (parts #(1 2 3)))  ; => (1 (2 3))
(print (let-syntax ((foo (syntax-rules () ((_ x) 'x)))) (foo bar)))  ; => bar
(define-syntax last-two
  (syntax-rules () ((_ a ... b c) '((a ...) b c))))
(print (last-two 1 2 3 4))  ; => ((1 2) 3 4)
