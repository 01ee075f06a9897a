;; Macros that define: variables, other macros, at the top level and in bodies.
(define-syntax jabberwocky
  (syntax-rules ()
    ((_ hatter)
     (begin
       (define march-hare 42)
       (define-syntax hatter (syntax-rules () ((_) march-hare)))))))
(jabberwocky mad-hatter)
(print (mad-hatter))  ; => 42
(print (let () (jabberwocky hat) (hat)))  ; => 42
;; What a template defines at the top level is a variable of each expansion ...
(define-syntax define-counter
  (syntax-rules ()
    ((_ name)
     (begin
       (define count 0)
       (define (name) (set! count (+ count 1)) count)))))
(define-counter a)
(define-counter b)
(print (a) (a) (b))  ; => 1 2 1
;; ... and visible under its name, unless that means something already.
(define-syntax define-answer
  (syntax-rules () ((_ n) (begin (define answer n) (define list n)))))
(define-answer 42)
(print answer (list 1 2))  ; => 42 (1 2)
(define total 5)
(define-syntax define-sum
  (syntax-rules () ((_ name n ...) (begin (define total (+ n ...)) (define (name) total)))))
(define-sum sum6 1 2 3)
(print total (sum6))  ; => 5 6
;; Before its definition a macro is not visible, in procedures neither.
(define (uses-later) (later 1))
(define-syntax later (syntax-rules () ((_ x) (list 'later x))))
(print (guard (e (#t (error-object-message e))) (uses-later)))  ; => unbound variable: later
(define-syntax define-both
  (syntax-rules ()
    ((_ (name value) ...) (begin (define name value) ...))))
(define-both (m 1) (n 2))
(print m n)  ; => 1 2
(define-both)
(define-syntax define-point
  (syntax-rules ()
    ((_ name make x-of)
     (define-record-type name (make x y) point? (x x-of) (y y-of)))))
(define-point <point> make-point point-x)
(print (point-x (make-point 3 4)))  ; => 3
(define-syntax define-pair-of
  (syntax-rules () ((_ p q e) (define-values (p q) e))))
(define-pair-of quotient-of rest-of (floor/ 17 5))
(print quotient-of rest-of)  ; => 3 2
;; Macros out of macros, with ellipses and literals of their own.
(define-syntax define-alist-macro
  (syntax-rules ()
    ((_ name (key value) ...)
     (define-syntax name
       (syntax-rules (key ...)
         ((_ key) value) ...
         ((_ other) 'none))))))
(define-alist-macro color-of (sky 'blue) (grass 'green))
(print (color-of sky) (color-of grass) (color-of night))  ; => blue green none
(define-syntax be-like-begin
  (syntax-rules ()
    ((_ name)
     (define-syntax name
       (syntax-rules () ((_ expr (... ...)) (begin expr (... ...))))))))
(be-like-begin sequence)
(print (sequence 1 2 3 4))  ; => 4
(define-syntax be-like-begin2
  (syntax-rules ()
    ((_ name)
     (define-syntax name (... (syntax-rules () ((_ expr ...) (begin expr ...))))))))
(be-like-begin2 sequence2)
(print (sequence2 1 2 3 5))  ; => 5
(define-syntax be-like-begin3
  (syntax-rules ()
    ((_ name)
     (define-syntax name
       (syntax-rules dots () ((_ expr dots) (begin expr dots)))))))
(be-like-begin3 sequence3)
(print (sequence3 2 3 4 6))  ; => 6
(print (let ()
         (define-syntax outer
           (syntax-rules ()
             ((_ x) (let ()
                      (define-syntax inner
                        (syntax-rules () ((_ y) (list x y))))
                      (inner 'in)))))
         (outer 'out)))  ; => (out in)
(define-syntax with-macro
  (syntax-rules ()
    ((_ x e) (let-syntax ((inner (syntax-rules () ((_ x) (+ x x))))) e))))
(print (let ((inner list)) (with-macro y (inner 4))))  ; => (4)
;; A keyword may be another one's name.
(define-syntax my-define define)
(define-syntax wenn when)
(my-define v 7)
(print (wenn (= v 7) 'seven))  ; => seven
(define-syntax seq2 sequence)
(print (seq2 1 2))  ; => 2
;; A macro that computes by continuation, and one that reverses.
(define-syntax reversed
  (syntax-rules ()
    ((_ () (done ...)) '(done ...))
    ((_ (x rest ...) (done ...)) (reversed (rest ...) (x done ...)))))
(print (reversed (1 2 3) ()))  ; => (3 2 1)
(define-syntax generate
  (syntax-rules ()
    ((_ () ((t e) ...) body) (let ((t e) ...) body))
    ((_ (e1 e ...) (b ...) body) (generate (e ...) (b ... (temp e1)) body))))
(print (let ((temp 3)) (generate (1 2 temp) () 'distinct)))  ; => distinct
(define (f)
  (define x 1)
  (define-syntax x+ (syntax-rules () ((_ n) (+ x n))))
  (define y (x+ 2))
  (set! x 10)
  (let ((x 100)) (list y (x+ 1))))
(print (f))  ; => (3 11)
(print (let-syntax () 5) (letrec-syntax () (define z 6) z))  ; => 5 6

;; A clause may say what is wrong with a use, when the program is expanded.
(define-syntax only-one
  (syntax-rules ()
    ((_ x) x)
    ((_ x . more) (syntax-error "only-one: expected one form, got more:" more))))
(print (only-one 5))  ; => 5
