;; Procedures in tables use variables that are defined later: the compiler may
;; call those directly only if no form before their definition may run such a use.

(define (tried thunk)
  (guard (e (#t (error-object-message e))) (thunk)))

;; An interpreter whose table of handlers comes first.
(define handlers
  (list (cons 'num (lambda (e) (cadr e)))
        (cons 'add (lambda (e) (+ (evaluate (cadr e)) (evaluate (caddr e)))))
        (cons 'neg (lambda (e) (- (evaluate (cadr e)))))))
(define (evaluate e) ((cdr (assq (car e) handlers)) e))
(print (evaluate '(add (num 1) (neg (num 2)))))  ; => -1

;; One that is filled by a procedure.
(define operators '())
(define (add-operator! name f) (set! operators (cons (cons name f) operators)))
(add-operator! 'double (lambda (x) (scaled x 2)))
(add-operator! 'triple (lambda (x) (scaled x 3)))
(define (scaled x k) (* x k))
(print (map (lambda (entry) ((cdr entry) 5)) operators))  ; => (15 10)

;; Uses that run before the definition.
(define called (list (lambda () (later-1))))
(print (tried (car called)))  ; => unbound variable: later-1
(define (later-1) 1)
(print (tried (car called)))  ; => 1

(define mapped (vector (lambda (x) (later-2 x))))
(define early-results (tried (lambda () (vector-map (vector-ref mapped 0) #(1 2)))))
(define (later-2 x) (* 10 x))
(print early-results (vector-map (vector-ref mapped 0) #(1 2)))  ; => unbound variable: later-2 #(10 20)

(define delayed (delay (later-3)))
(print (tried (lambda () (force delayed))))  ; => unbound variable: later-3
(define (later-3) 3)
(print (force delayed))  ; => 3

(define (run-first procedures) ((car procedures)))
(define passed (list (lambda () (later-4))))
(define early-result (tried (lambda () (run-first passed))))
(define (later-4) 4)
(print early-result (run-first passed))  ; => unbound variable: later-4 4

(define (helper) (later-5))
(define named (list helper))
(print (tried (car named)))  ; => unbound variable: later-5
(define (later-5) 5)
(print ((car named)))  ; => 5

;; One that is assigned remains a variable.
(define reads (list (lambda () (later-6))))
(define (later-6) 6)
(print ((car reads)))  ; => 6
(set! later-6 (lambda () 'other))
(print ((car reads)))  ; => other

;; Loops and procedures that are called where they stand do run.
(define looped
  (tried (lambda () (let loop ((i 0)) (if (= i 2) (later-7) (loop (+ i 1)))))))
(define (later-7) 7)
(print looped)  ; => unbound variable: later-7
(define x (list (lambda () later-8)))
(define later-8 8)
(print ((car x)))  ; => 8
