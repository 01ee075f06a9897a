;; A guard whose body binds nothing is code of the procedure around it in the
;; interpreter: its handlers, its failures, and where it may stand.

(define (id x) x)
(define place (make-parameter 'outside))
(define log '())
(define (note x) (set! log (cons x log)) x)
(define (notes) (let ((all (reverse log))) (set! log '()) all))

;; With a value, a raised object, and the error of a primitive.

(define (first-or-no x) (guard (e (#t 'no)) (car x)))
(print (map first-or-no '((1 2) 5 () sym #t 2.5)))  ; => (1 no no no no no)
(define (message thunk)
  (guard (e ((error-object? e) (error-object-message e)) (#t e)) (thunk)))
(print (message (lambda () (car 5))))     ; => car: expected a pair, got 5
(print (message (lambda () (cdr 'sym))))  ; => cdr: expected a pair, got sym
(print (message (lambda () (cadr '(1)))))  ; => cadr: expected a pair, got ()
(print (message (lambda () (caar '(#f)))))  ; => caar: expected a pair, got #f
(print (message (lambda () (cdr -2.5))))  ; => cdr: expected a pair, got -2.5
(print (message (lambda () (car 12345678901234567890))))  ; => car: expected a pair, got 12345678901234567890
(print (message (lambda () (car "text"))))  ; => car: expected a pair, got "text"
(print (message (lambda () (car #\a))))   ; => car: expected a pair, got #\a
(print (message (lambda () (car car))))   ; => car: expected a pair, got a procedure
(print (message (lambda () (raise 7))))   ; => 7
(print (message (lambda () (error "no:" 1))))  ; => no:
(print (guard (e (#t (error-object-irritants e))) (error "no:" 1 "b" '(c))))  ; => (1 b (c))

;; A message shows an operand that changes as it was.

(define changing (vector 1 2))
(print (guard (e ((begin (vector-set! changing 0 'later) #f) 0)
                 (#t (error-object-message e)))
         (car changing)))                 ; => car: expected a pair, got #(1 2)

;; The clauses: the first that matches, =>, else, none.

(print (guard (e ((symbol? e) (list 'symbol e)) ((string? e) 'string)) (raise 'a)))  ; => (symbol a)
(print (guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a 42)))))  ; => 42
(print (guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'b 23)))))  ; => (b . 23)
(print (guard (e (else 'else)) (raise 1)))  ; => else
(print (guard (e (#t (list 'outer e))) (guard (e ((string? e) e)) (raise 'a))))  ; => (outer a)
(print (guard (e ((begin (set! e (list e 'changed)) #f) 0) (#t e)) (raise 1)))  ; => (1 changed)

;; A failure in a clause is the outer guard's, also that of the same guard again.

(print (guard (e (#t (list 'second e))) (guard (e (#t (raise 'again))) (raise 'first))))  ; => (second again)

;; Values are used after a body that has changed them.

(define (sum-of-changes x)
  (+ x (guard (e (#t (set! x (+ x 10)) x)) (begin (set! x (+ x 1)) (raise 'a)))))
(print (sum-of-changes 1))                ; => 13
(define (in-an-argument x)
  (list (guard (e (#t 'first)) (car x)) (guard (e (#t 'second)) (cdr x)) (guard (e (#t 0)) (id 3))))
(print (in-an-argument 5))                ; => (first second 3)
(print (if (guard (e (#t #f)) (car 5)) 'true 'false))  ; => false

;; In a loop, and in tail position: the clauses' last calls are tail calls.

(define (count-down n)
  (if (= n 0) 'done (guard (e (#t (count-down (- n 1)))) (raise n))))
(print (count-down 100000))               ; => done
(define (even-raises n) (guard (e ((= e 0) #t) (#t (odd-raises (- e 1)))) (raise n)))
(define (odd-raises n) (guard (e ((= e 0) #f) (#t (even-raises (- e 1)))) (raise n)))
(print (even-raises 10001))               ; => #f
(define kept '())
(define (keep-procedures n)
  (if (> n 0)
      (let ((caught (guard (e (#t (* e 10))) (raise n))))
        (set! kept (cons (lambda () (list n caught)) kept))
        (keep-procedures (- n 1)))))
(keep-procedures 3)
(print (map (lambda (f) (f)) kept))       ; => ((1 10) (2 20) (3 30))

;; Handlers outside of a guard do not see what it may catch; afterwards they do.

(define (handled thunk)
  (call/cc (lambda (k) (with-exception-handler (lambda (e) (k (list 'handled e))) thunk))))
(print (handled (lambda () (note (guard (e (#t 'mine)) (raise 'a))) (raise 'b))))  ; => (handled b)
(print (notes))                           ; => (mine)
(print (handled (lambda () (guard (e ((string? e) 'mine)) (raise 'a)))))  ; => (handled a)
(print (handled (lambda () (note (guard (e (#t 'mine)) (id 1))) (raise-continuable 'b))))  ; => (handled b)
(print (notes))                           ; => (1)
(print (with-exception-handler
        (lambda (e) (* e 2))
        (lambda () (+ (guard (e (#t 100)) (raise 'a)) (raise-continuable 21)))))  ; => 142
(print (guard (e (#t (list 'caught e))) (raise-continuable 5)))  ; => (caught 5)
(define (with-handler-inside)
  (with-exception-handler (lambda (e) (note 'inside) 7) (lambda () (raise-continuable 'a))))
(print (guard (e (#t 'no)) (with-handler-inside)))  ; => 7
(print (notes))                           ; => (inside)

;; Escapes leave the body, and the handlers are those of before.

(define (escape-from k) (k 'escaped))
(print (call/cc (lambda (k) (guard (e (#t 'no)) (escape-from k)))))  ; => escaped
(print (handled (lambda () (call/cc (lambda (k) (guard (e (#t 'no)) (k 1)))) (raise 'after))))  ; => (handled after)

;; What winds is unwound before the clauses.

(define (wound)
  (dynamic-wind (lambda () (note 'in)) (lambda () (note (place)) (raise 'a)) (lambda () (note 'out))))
(define (set-inside) (parameterize ((place 'inside)) (wound)))
(print (guard (e ((note (place)) (list e (place)))) (set-inside)))  ; => (a outside)
(print (notes))                           ; => (in inside out outside)

;; A call of what is not a procedure, and with too many arguments.

(define not-procedure 5)
(print (guard (e (#t (error-object-message e))) (not-procedure 1)))  ; => not a procedure: 5
(print (guard (e (#t (error-object-message e))) (id 1 2)))  ; => id: expected 1 argument, got 2
(print (guard (e (#t (error-object-hint e))) (id 1 2)))  ; => usage: (id x)
