; Top-level variables that only ever hold integers, doubles or booleans.

(define count 0)
(define total 0.0)
(define seed 42)
(define is-odd #f)
(define (random! n)
  (set! seed (modulo (+ (* seed 1103515245) 12345) 2147483648))
  (modulo seed n))
(define (step! x)
  (set! count (+ count 1))
  (set! is-odd (not is-odd))
  (set! total (+ total (* x (random! 10)))))
(for-each step! '(1.0 2.5 4 1/2))
(print count total seed is-odd)             ; => 4 32.0 1668674806 #f

; What may leave the range of a fixnum, or is rounded, stays exact.
(define product 1)
(define (grow!) (set! product (* product 1000003)) product)
(print (begin (grow!) (grow!)) (begin (grow!) (grow!)))  ; => 1000006000009 1000012000054000108000081
(define largest 4611686018427387903)
(define (add! n) (set! largest (+ largest n)) largest)
(print (add! 0) (add! 1) (add! -1))         ; => 4611686018427387903 4611686018427387904 4611686018427387903
(define mean 0)
(define (mean! x) (set! mean (/ (+ mean x) 2)) mean)
(print (mean! 1) (mean! 0.5) (mean! 7))     ; => 1/2 0.5 3.75
(define big 9007199254740993)
(define (scaled x) (set! big (+ big 2)) (* big x))
(print (scaled 1.0) (scaled 1))             ; => 9007199254740996.0 9007199254740997

; Assignments in closures, loops, handlers and after-thunks.
(define depth 0)
(define deepest 0)
(define (visit n)
  (dynamic-wind
   (lambda () (set! depth (+ depth 1)))
   (lambda ()
     (when (> depth deepest) (set! deepest depth))
     (if (= n 0) (error "deep enough") (visit (- n 1))))
   (lambda () (set! depth (- depth 1)))))
(print (guard (e (#t (set! is-odd #t) (error-object-message e))) (visit 5)))  ; => deep enough
(print depth deepest is-odd)                ; => 0 6 #t
(define counters (map (lambda (step) (lambda () (set! count (+ count step)) count)) '(1 10 100)))
(print (map (lambda (counter) (counter)) counters))  ; => (5 15 115)

; Redefined, also as something else; assigned where no call comes.
(define level 1)
(define (raise-level!) (set! level (+ level 1)) level)
(print (raise-level!))                      ; => 2
(define level "high")
(print level)                               ; => high
(define unused 1)
(define (never) (set! unused 'symbol))
(define (read-unused) unused)
(print (read-unused) (procedure? never))    ; => 1 #t

; A variable that may have no value yet is an error.
(define (early) (set! late (+ late 1)) late)
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message early))                     ; => unbound variable: late
(define late 1.5)
(print (message early))                     ; => 2.5

; Kept by what is read later, printed, compared, passed on.
(define ratio 0.25)
(define (halve!) (let ((before ratio)) (set! ratio (* 0.5 ratio)) (list before ratio)))
(print (halve!) (eqv? ratio 0.125) (map sqrt (list (* 2 ratio))))  ; => (0.25 0.125) #t (0.5)
(define zero 0.0)
(define (negate!) (set! zero (- zero)) zero)
(print (negate!) (negate!) (eqv? zero 0.0)) ; => -0.0 0.0 #t

; A procedure and a parameter by the names that the compiler and the variable have.
(define (globals count) (if (> count 100000000000) count (globals (* count 1000))))
(define (tick!) (set! count (modulo (+ count 1) 7)) count)
(print (tick!) (globals 3) (tick!) (globals 5))  ; => 4 3000000000000 5 5000000000000
