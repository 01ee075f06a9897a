;; A guard without a clause for the object hands it to the handler outside, and
;; raise-continuable returns what that returns (R7RS 4.2.7 and 6.11).
(define (with-answer answer thunk)
  (with-exception-handler (lambda (e) answer) thunk))

(print (with-answer 10
  (lambda ()
    (+ 1 (guard (e ((string? e) 'no)) (raise-continuable 'oops))))))  ; => 11
(print (with-answer 10
  (lambda ()
    (guard (a ((string? a) 'outer))
      (guard (b ((number? b) 'inner))
        (list (raise-continuable 'x) (raise-continuable 'y)))))))  ; => (10 10)
(print (with-answer 10
  (lambda ()
    (list (guard (e ((symbol? e) e)) (+ 1 (raise-continuable 'x)))))))  ; => (x)

;; The handler runs in the state of the raise, the tests in the guard's.
(define p (make-parameter 'outside))
(print (with-exception-handler
        (lambda (e) (list e (p)))
        (lambda ()
          (guard (e ((begin (print 'tested (p)) (eq? e 1)) 'no))  ; => tested outside
            (parameterize ((p 'inside))
              (list (raise-continuable 'oops) (p)))))))  ; => ((oops inside) inside)
(print (p))                              ; => outside
(print (guard (e ((eq? (p) 'outside) (list 'chosen (p) e)))
         (parameterize ((p 'inside)) (raise-continuable 1))))  ; => (chosen outside 1)
(print (guard (e ((eq? (p) 'a) 'wrong) ((eq? (p) 'outside) (list e (p))))
         (parameterize ((p 'a))
           (guard (e ((eq? (p) 'b) (list e 'b)))
             (parameterize ((p 'b))
               (parameterize ((p 'c)) (+ 1 (raise-continuable 2))))))))  ; => (2 outside)
;; after-thunks run when the guard takes the object, not when it declines.
(print (with-answer 5
  (lambda ()
    (guard (e ((string? e) (print 'taken) e))
      (dynamic-wind
       (lambda () (print 'in))           ; => in
       (lambda () (print (raise-continuable 1)) (raise-continuable "end"))  ; => 5
       (lambda () (print 'out)))))))     ; => out
                                         ; => taken
                                         ; => end

;; Each test is evaluated once, also if it changes the variable.
(define (tried raise)
  (guard (e ((begin (set! e (+ e 1)) (print 'first e) #f) 1)
            ((begin (set! e (+ e 1)) e) => (lambda (found) (list found e))))
    (raise 1)))
(print (tried raise))
; => first 2
; => (3 3)
(print (tried raise-continuable))
; => first 2
; => (3 3)
(print (guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise-continuable (list (cons 'a 42)))))  ; => 42
(print (guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise-continuable (list (cons 'b 23)))))  ; => (b . 23)
(print (guard (e ((memv e '(1.5 2.5)))) (+ 1 (raise-continuable 2.5))))  ; => (2.5)

;; What the outer handler, or a test, raises passes the guards that declined.
(print (guard (e ((symbol? e) (list 'outermost e)))
         (with-exception-handler
          (lambda (e) (raise (string->symbol e)))
          (lambda ()
            (guard (e ((number? e) 'no) ((symbol? e) 'wrong))
              (guard (e ((symbol? e) 'wrong))
                (raise-continuable "text")))))))  ; => (outermost text)
(print (guard (e ((error-object? e) (error-object-message e)))
         (guard (e ((car e) 1) ((error-object? e) 'wrong))
           (raise-continuable 5))))      ; => car: expected a pair, got 5
(print (guard (e ((number? e) (list 'taken e)))
         (guard (e ((string? e) 'no))
           (dynamic-wind
            (lambda () #f)
            (lambda () (raise-continuable 7))
            (lambda () (guard (e ((symbol? e) (print 'after e))) (raise-continuable 'z)))))))
; => after z
; => (taken 7)
;; An after-thunk's own error meets the guard anew.
(print (guard (e ((number? e) 'no))
         (guard (e ((string? e) (list 'inner e)))
           (dynamic-wind
            (lambda () #f)
            (lambda () (raise-continuable 7))
            (lambda () (raise "later"))))))  ; => (inner later)

;; An escape back into the body leaves the guard as it was.
(print (with-exception-handler
        (lambda (e) (e 'back))
        (lambda ()
          (guard (e ((symbol? e) (list 'guard e)))
            (print (call/cc (lambda (k) (raise-continuable k))))  ; => back
            (raise 'then)))))            ; => (guard then)
(print (call/cc (lambda (k)
         (with-exception-handler
          (lambda (e) (k (list 'left e)))
          (lambda () (guard (e ((string? e) 1)) (raise-continuable 'x)))))))  ; => (left x)

;; A raise leaves the guard first, and no handler can return to it.
(print (guard (e (#t (error-object-message e)))
         (with-answer 10
           (lambda () (guard (e ((string? e) 'no)) (+ 1 (raise 'oops)))))))
; => a handler returned from a raise that is not continuable:

;; Closures of the body and the clauses keep their variables.
(define (collect n)
  (let loop ((i 0) (made '()))
    (if (= i n)
        (map (lambda (f) (f)) made)
        (loop (+ i 1)
              (cons (guard (e ((and (number? e) (odd? e)) (lambda () (list 'odd e)))
                              ((number? e) (lambda () (list 'even e))))
                      (let ((j i)) (raise-continuable j)))
                    made)))))
(print (collect 3))                      ; => ((even 2) (odd 1) (even 0))
;; Loops through guards in clauses keep constant stack.
(define (count n) (guard (e ((number? e) (if (= e 0) 'done (count (- e 1))))) (raise-continuable n)))
(print (count 20000))                    ; => done
(print (guard (e (#t (list 'all e))) (guard (e) (+ 1 (raise-continuable 'nobody)))))  ; => (all nobody)
;; A handler that returns from what a guard declined has returned from the raise: it gets that
;; error itself, as often as there are guards.
(define (handled body)
  (let ((log '()))
    (guard (e (#t (list (length log) (reverse log))))
      (with-exception-handler
        (lambda (e) (set! log (cons (if (error-object? e) (error-object-irritants e) e) log)) 'back)
        body))))
(define-syntax declining
  (syntax-rules () ((_ form) (guard (e ((string? e) 'string)) form))))
(print (handled (lambda () (raise 'x))))                          ; => (1 (x))
(print (handled (lambda () (declining (raise 'x)))))              ; => (2 (x (x)))
(print (car (handled (lambda () (declining (declining (raise 'x)))))))               ; => 3
(print (car (handled (lambda () (declining (declining (declining (raise 'x))))))))   ; => 4
(print (car (handled (lambda () (declining (car 5))))))           ; => 2
(print (with-exception-handler (lambda (e) 5)
         (lambda () (declining (declining (raise-continuable 'x))))))  ; => 5
(print (guard (e (#t (list 'outer e)))
         (with-exception-handler (lambda (e) (raise (list 'h e)))
           (lambda () (declining (raise 'x))))))                  ; => (outer (h x))
