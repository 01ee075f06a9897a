;; 6.11: handlers, raise, error objects.  The first examples are the report's.

(print (call-with-current-continuation
        (lambda (k)
          (with-exception-handler
           (lambda (e) (display "condition: ") (write e) (newline) (k 'exception))
           (lambda () (+ 1 (raise 'an-error)))))))
; => condition: an-error
; => exception

(print (with-exception-handler
        (lambda (con)
          (cond ((string? con) (display con))
                (else (display "a warning has been issued")))
          42)
        (lambda ()
          (+ (raise-continuable "should be a number") 23))))
; => should be a number65

(define (null-list? l)
  (cond ((pair? l) #f)
        ((null? l) #t)
        (else (error "null-list?: argument out of domain" l))))
(print (guard (e (#t (error-object-message e) )) (null-list? 5)))  ; => null-list?: argument out of domain
(print (guard (e (#t (error-object-irritants e))) (null-list? 5)))  ; => (5)

;; A handler runs with the handlers outside of its own.
(print (guard (e (#t (list 'outer e)))
         (with-exception-handler
          (lambda (e) (raise (list 'again e)))
          (lambda () (raise 'first)))))  ; => (outer (again first))
(print (with-exception-handler
        (lambda (e) (+ e 1))
        (lambda ()
          (with-exception-handler
           (lambda (e) (* 2 (raise-continuable (+ e 1))))
           (lambda () (+ 100 (raise-continuable 1)))))))  ; => 106

;; One that returns from `raise` is an error, which goes to the next handler.
(define (secondary thunk)
  (guard (e (#t (list (error-object-message e) (error-object-irritants e))))
    (with-exception-handler (lambda (e) 'ignored) thunk)))
(print (secondary (lambda () (raise 'x))))
; => (a handler returned from a raise that is not continuable: (x))
(print (secondary (lambda () (car 5))))
; => (a handler returned from a raise that is not continuable: (#<error car: expected a pair, got 5>))

;; Error objects: of `error`, and of every procedure that fails.
(define (caught thunk) (guard (e (#t e)) (thunk)))
(define boom (caught (lambda () (error "boom:" 1 "two" 'three))))
(print (error-object? boom) (error-object? 'boom) (error-object? "boom"))  ; => #t #f #f
(print (error-object-message boom) (error-object-irritants boom))  ; => boom: (1 two three)
(write boom)
(newline)  ; => #<error boom: 1 "two" three>
(define (message-of thunk) (error-object-message (caught thunk)))
(define (irritants-of thunk) (error-object-irritants (caught thunk)))
(print (message-of (lambda () (car 5))) (irritants-of (lambda () (car 5))))
; => car: expected a pair, got 5 ()
(print (message-of (lambda () (undefined-variable))))  ; => unbound variable: undefined-variable
(print (message-of (lambda () ((lambda (x) x)))))  ; => lambda: expected 1 argument, got 0
(print (message-of (lambda () ("text" 1))))  ; => not a procedure: "text"
(print (message-of (lambda () (vector-ref (vector 1 2) 5))))
; => vector-ref: index 5 is out of range for length 2
(print (message-of (lambda () (quotient 1 0))))  ; => quotient: division by zero
(print (message-of (lambda () (assert (= 1 2)))))  ; => assertion failed: (= 1 2)
(print (message-of (lambda () (raise (caught (lambda () (car 5)))))))
; => car: expected a pair, got 5
(print (message-of (lambda () (error 'symbol "first"))))  ; => symbol

;; Kinds of errors.
(define no-file (caught (lambda () (open-input-file "/no/such/file"))))
(print (file-error? no-file) (read-error? no-file) (file-error? boom) (file-error? 5))
; => #t #f #f #f
(print (read-error? boom) (read-error? 'read))  ; => #f #f

;; Endless recursion is an error like any other, again and again.
(define (endless n) (+ 1 (endless n)))
(print (message-of (lambda () (endless 0))))  ; => recursion is too deep
(print (message-of (lambda () (endless 0))))  ; => recursion is too deep

;; Whatever is raised comes out as it went in.
(define thing (list 1 2))
(print (eq? thing (guard (e (#t e)) (raise thing))))  ; => #t
(print (guard (e (#t (eq? e boom))) (raise boom)))  ; => #t
(print (guard (e (#t (procedure? e))) (raise car)))  ; => #t
