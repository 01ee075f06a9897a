; A tail call of a procedure that only looks at its arguments borrows them.  The traces are those of
; tail calls, the memory is freed, and tail calls that do not end take no stack.
(define (lookup name env)
  (define (in-frame names values)
    (cond ((null? names) (lookup name (cdr env)))
          ((eq? (car names) name) (car values))
          (else (in-frame (cdr names) (cdr values)))))
  (if (null? env)
      (error "unbound:" name)
      (in-frame (car (car env)) (cdr (car env)))))

(define (evaluate x env)
  (cond ((number? x) x)
        ((symbol? x) (lookup x env))
        ((eq? (car x) 'let)
         (evaluate (caddr x)
                   (cons (cons (list (cadr x) 'it) (list (list 'value-of (cadr x)) 7)) env)))
        (else (cons (evaluate (car x) env) (evaluate (cdr x) env)))))

(print (evaluate '(let a (let b a)) '()))         ; => (value-of a)
(print (evaluate '(let a (let b it)) '()))        ; => 7
(print (guard (e (#t (error-object-message e))) (evaluate (quote (let a b)) (list)))) ; => unbound:

(define (live) (cdr (assq 'live-handles (tensor-memory))))
(define (one-dimension? x) (= (length (tensor-shape x)) 1))
(define (look n) (one-dimension? (tensor-ones n)))
(print (look 3) (look 4) (live))                  ; => #t #t 0

; Each passes a new list on: they must not wait for each other.
(define (all-even? n items) (if (= n 0) (pair? items) (all-odd? (- n 1) (cons n '()))))
(define (all-odd? n items) (if (= n 0) (null? items) (all-even? (- n 1) (cons n '()))))
(print (all-even? 1000001 '(1)))                  ; => #f
