;; dynamic-wind and call/cc: wrong calls, failures in each procedure, and tail
;; calls of all of them.

(define log '())
(define (note x) (set! log (cons x log)) x)
(define (notes) (let ((all (reverse log))) (set! log '()) all))
(define (noting x) (lambda () (note x)))
(define (message thunk)
  (guard (e ((error-object? e) (error-object-message e)) (#t e)) (thunk)))

(print (dynamic-wind (noting 'in) (noting 'value) (noting 'out)))  ; => value
(print (notes))                           ; => (in value out)

;; A failure of each of the three.

(define (failing x) (lambda () (note x) (raise x)))
(print (message (lambda () (dynamic-wind (failing 'in) (noting 1) (noting 2)))))  ; => in
(print (notes))                           ; => (in)
(print (message (lambda () (dynamic-wind (noting 1) (failing 'mid) (noting 2)))))  ; => mid
(print (notes))                           ; => (1 mid 2)
(print (message (lambda () (dynamic-wind (noting 1) (noting 2) (failing 'out)))))  ; => out
(print (notes))                           ; => (1 2 out)
(print (message (lambda () (dynamic-wind (noting 1) (failing 2) (failing 'out)))))  ; => out
(print (notes))                           ; => (1 2 out)
(print (message (lambda () (dynamic-wind (noting 1) (lambda () (car 5)) (noting 2)))))  ; => car: expected a pair, got 5
(print (notes))                           ; => (1 2)

;; Handlers run where the failure is, before after.

(define (handled thunk)
  (call/cc
   (lambda (k)
     (with-exception-handler (lambda (e) (note 'handler) (k (list 'handled e))) thunk))))
(print (handled (lambda () (dynamic-wind (noting 1) (failing 2) (noting 3)))))  ; => (handled 2)
(print (notes))                           ; => (1 2 handler 3)
(print (handled (lambda () (dynamic-wind (noting 1) (noting 2) (failing 3)))))  ; => (handled 3)
(print (notes))                           ; => (1 2 3 handler)

;; Wrong calls: after runs once thunk could have begun.

(print (message (lambda () (dynamic-wind 5 (noting 1) (noting 2)))))  ; => not a procedure: 5
(print (notes))                           ; => ()
(print (message (lambda () (dynamic-wind (noting 1) 'thunk (noting 2)))))  ; => not a procedure: thunk
(print (notes))                           ; => (1 2)
(print (message (lambda () (dynamic-wind (noting 1) (noting 2) "after"))))  ; => not a procedure: "after"
(print (notes))                           ; => (1 2)
(define (takes-one x) x)
(print (message (lambda () (dynamic-wind takes-one (noting 1) (noting 2)))))  ; => takes-one: expected 1 argument, got 0
(print (message (lambda () (dynamic-wind (noting 1) takes-one (noting 2)))))  ; => takes-one: expected 1 argument, got 0
(print (message (lambda () (dynamic-wind (noting 1) (noting 2) takes-one))))  ; => takes-one: expected 1 argument, got 0
(print (notes))                           ; => (1 2 1 2)
(print (message (lambda () (apply dynamic-wind (list (noting 1) (noting 2))))))  ; => dynamic-wind: expected 3 arguments, got 2
(define (two-wrong) (takes-one 1 2))
(print (message (lambda () (dynamic-wind two-wrong (noting 1) (noting 2)))))  ; => takes-one: expected 1 argument, got 2
(print (message (lambda () (dynamic-wind (noting 1) two-wrong (noting 2)))))  ; => takes-one: expected 1 argument, got 2
(print (notes))                           ; => (1 2)
(print (message (lambda () (dynamic-wind (noting 1) (noting 2) two-wrong))))  ; => takes-one: expected 1 argument, got 2
(print (notes))                           ; => (1 2)

;; Their last calls are tail calls of other procedures.

(define (many n value) (if (= n 0) value (many-more (- n 1) value)))
(define (many-more n value) (if (= n 0) value (many (- n 1) value)))
(define chosen (list many many-more))
(define (last-call value) (lambda () ((car chosen) 1000 value)))
(print (dynamic-wind (last-call 1) (last-call 2) (last-call 3)))  ; => 2
(print (call/cc (lambda (k) ((car chosen) 10 'value))))  ; => value
(print (call/cc (lambda (k) ((car chosen) 10 (k 'early)))))  ; => early

;; Escapes.

(print (call/cc (lambda (k) (dynamic-wind (noting 1) (lambda () (k 'left)) (noting 2)))))  ; => left
(print (notes))                           ; => (1 2)
(print (call/cc (lambda (outer)
                  (call/cc (lambda (inner) (outer 'outer)))
                  'inner)))               ; => outer
(print (call/cc (lambda (k) (dynamic-wind (noting 1) (noting 2) (lambda () (k 'after))))))  ; => after
(print (notes))                           ; => (1 2)
(print (call-with-values (lambda () (call/cc (lambda (k) (k 1 2)))) list))  ; => (1 2)
(print (call/cc (lambda (k)
                  (with-exception-handler (lambda (e) (k (list 'by-handler e)))
                                          (lambda () (raise 'a))))))  ; => (by-handler a)
(print (with-exception-handler
        (lambda (e) 10)
        (lambda () (+ 1 (call/cc (lambda (k) (raise-continuable 'a)))))))  ; => 11

;; Once its call has returned, or failed, a continuation cannot be called.

(define saved #f)
(call/cc (lambda (k) (set! saved k) 1))
(print (message (lambda () (saved 1))))   ; => continuation: its call/cc has returned already, and it can only escape from there
(call/cc (lambda (k) (set! saved k) (k 1)))
(print (message (lambda () (saved 1))))   ; => continuation: its call/cc has returned already, and it can only escape from there
(message (lambda () (call/cc (lambda (k) (set! saved k) (car 5)))))
(print (message (lambda () (saved 1))))   ; => continuation: its call/cc has returned already, and it can only escape from there

;; Wrong receivers.

(print (message (lambda () (call/cc 5)))) ; => not a procedure: 5
(print (message (lambda () (call/cc (lambda () 1)))))  ; => lambda: expected 0 arguments, got 1
(print (message (lambda () (call-with-current-continuation two-wrong))))  ; => two-wrong: expected 0 arguments, got 1
(print (message (lambda () (call/cc (lambda (k) (takes-one))))))  ; => takes-one: expected 1 argument, got 0
(print (message (lambda () (apply call/cc '()))))  ; => call/cc: expected 1 argument, got 0
