;; 4.2.7: guard.

(print (guard (condition
               ((assq 'a condition) => cdr)
               ((assq 'b condition)))
         (raise (list (cons 'a 42)))))  ; => 42
(print (guard (condition
               ((assq 'a condition) => cdr)
               ((assq 'b condition)))
         (raise (list (cons 'b 23)))))  ; => (b . 23)

;; Without an error: the body's value or values, and its definitions.
(print (guard (e (#t 'never)) 1 2 3))  ; => 3
(print (guard (e (#t 'never)) (define x 5) (* x x)))  ; => 25
(call-with-values (lambda () (guard (e (#t 'never)) (values 1 2))) print)  ; => 1 2
(call-with-values (lambda () (guard (e (#t (values e e))) (raise 'v))) print)  ; => v v

;; else; a clause without a body; clauses are tried in order.
(define (kind thunk)
  (guard (e ((string? e) 'string)
            ((assv e '((1 . one))) => cdr)
            ((number? e))
            (else (list 'other e)))
    (thunk)))
(print (kind (lambda () (raise "s"))))  ; => string
(print (kind (lambda () (raise 1))))  ; => one
(print (kind (lambda () (raise 2))))  ; => #t
(print (kind (lambda () (raise 'symbol))))  ; => (other symbol)
(print (kind (lambda () 'fine)))  ; => fine

;; No clause: the error goes on, out of the guard, and through what stands around it.
(print (guard (e ((symbol? e) (list 'outer e)))
         (guard (e ((string? e) 'inner))
           (raise 'sym))))  ; => (outer sym)
;; The body is left before the clauses run: after-thunks come first.
(define steps '())
(define (step! x) (set! steps (cons x steps)))
(define (steps-of thunk)
  (set! steps '())
  (let ((result (thunk))) (append (reverse steps) (list result))))
(print (steps-of
        (lambda ()
          (guard (e ((begin (step! 'clause) #t) e))
            (dynamic-wind
             (lambda () (step! 'in))
             (lambda () (raise 'value) (step! 'never))
             (lambda () (step! 'out)))))))  ; => (in out clause value)
(print (steps-of
        (lambda ()
          (guard (e (#t (step! 'clause) e))
            (with-exception-handler
             (lambda (e) (step! 'handler) (raise 'from-handler))
             (lambda ()
               (dynamic-wind
                (lambda () (step! 'in))
                (lambda () (raise 'value))
                (lambda () (step! 'out)))))))))  ; => (in handler out clause from-handler)

;; A guard hides the handlers outside of it from what it catches.
(print (steps-of
        (lambda ()
          (with-exception-handler
           (lambda (e) (step! 'handler) 0)
           (lambda () (guard (e (#t e)) (raise-continuable 'hidden)))))))  ; => (hidden)

;; An error in a clause, in an after-thunk, in a handler: the newer one goes on.
(define (newest thunk) (guard (e (#t e)) (thunk)))
(print (newest (lambda () (guard (e (#t (raise (list e 'clause)))) (raise 1)))))  ; => (1 clause)
(print (newest (lambda ()
                 (dynamic-wind
                  (lambda () #f)
                  (lambda () (raise 'first))
                  (lambda () (raise 'after))))))  ; => after

;; Clauses end in tail calls; loops through bodies and clauses run in little memory.
(define (count-up i)
  (guard (n ((= n 100000) 'done)
            (#t (count-up (+ n 1))))
    (raise i)))
(print (count-up 0))  ; => done
(define (through-body i)
  (let ((next (guard (e (#t 0)) (+ i 1))))
    (if (= next 100000) 'done (through-body next))))
(print (through-body 0))  ; => done

;; Out of the depth of a recursion, and through guards on the way.
(define (down n)
  (if (= n 0) (raise 'bottom) (+ 1 (down (- n 1)))))
(print (guard (e ((symbol? e) e)) (down 100000)))  ; => bottom
(define (down-guarded n)
  (if (= n 0) (raise 'bottom) (+ 1 (guard (e ((string? e) 0)) (down-guarded (- n 1))))))
(print (guard (e ((symbol? e) e)) (down-guarded 1000)))  ; => bottom
(define (endless n)
  (+ 1 (if (= (modulo n 100) 0)
           (guard (e ((string? e) 0)) (endless (+ n 1)))
           (endless (+ n 1)))))
(print (guard (e (#t (error-object-message e))) (endless 0)))  ; => recursion is too deep

;; Variables that a body changes stay changed.
(define (changed)
  (let ((x 1))
    (guard (e (#t (list x e)))
      (set! x 2)
      (raise 'so))))
(print (changed))  ; => (2 so)

;; What is raised in a body with tensors lets go of them.
(define (tensors n)
  (let ((x (tensor-ones 100)))
    (if (= n 0) (raise x) (tensor-add x (tensors (- n 1))))))
(print (guard (e ((tensor? e) (tensor-item (tensor-sum e)))) (tensors 10)))  ; => 100.0
(print (cdr (assq 'live-handles (tensor-memory))))  ; => 0
