;; 6.10: call/cc (escapes), dynamic-wind, and multiple values through both.

(print (call-with-current-continuation
        (lambda (exit)
          (for-each (lambda (x) (if (negative? x) (exit x)))
                    '(54 0 37 -3 245 19))
          #t)))  ; => -3
(define (list-length object)
  (call/cc
   (lambda (return)
     (letrec ((r (lambda (object)
                   (cond ((null? object) 0)
                         ((pair? object) (+ (r (cdr object)) 1))
                         (else (return #f))))))
       (r object)))))
(print (list-length '(1 2 3 4)) (list-length '(a b . c)))  ; => 4 #f
(print (call/cc procedure?))  ; => #t
(print (+ 1 (call/cc (lambda (k) 10))))  ; => 11
(print (+ 1 (call/cc (lambda (k) (+ 100 (k 10))))))  ; => 11
(print (let/cc k (+ 1 (k 'out))))  ; => out
(print (call-with-escape-continuation (lambda (k) (k 1) 2)))  ; => 1
(print (map (lambda (k) (k 'x)) (list (lambda (x) x))))  ; => (x)

;; Several values, or none.
(call-with-values (lambda () (call/cc (lambda (k) (k 1 2 3)))) print)  ; => 1 2 3
(print (call-with-values (lambda () (call/cc (lambda (k) (k)))) list))  ; => ()
(call-with-values (lambda () (call/cc (lambda (k) (values 4 5)))) print)  ; => 4 5
(call-with-values (lambda () (dynamic-wind list (lambda () (values 6 7)) list)) print)  ; => 6 7
(print (call/cc (lambda (k) (apply k '(one)))))  ; => one

;; dynamic-wind: the report's order.
(define steps '())
(define (step! x) (set! steps (cons x steps)))
(define (steps-of thunk)
  (set! steps '())
  (let ((result (thunk))) (append (reverse steps) (list result))))
(define (wind name thunk)
  (dynamic-wind
   (lambda () (step! (list 'in name)))
   thunk
   (lambda () (step! (list 'out name)))))
(print (steps-of (lambda () (wind 1 (lambda () 'value)))))  ; => ((in 1) (out 1) value)
(print (steps-of
        (lambda ()
          (call/cc
           (lambda (k)
             (wind 1 (lambda () (wind 2 (lambda () (k 'escaped))))))))))
; => ((in 1) (in 2) (out 2) (out 1) escaped)
(print (steps-of
        (lambda ()
          (wind 1 (lambda ()
                    (step! (call/cc (lambda (k) (wind 2 (lambda () (k 'inner))))))
                    'end)))))
; => ((in 1) (in 2) (out 2) inner (out 1) end)

;; Out of before- and after-thunks; the newer escape wins.
(print (steps-of
        (lambda ()
          (call/cc
           (lambda (k)
             (dynamic-wind
              (lambda () (k 'before))
              (lambda () (step! 'never))
              (lambda () (step! 'never))))))))  ; => (before)
(print (steps-of
        (lambda ()
          (call/cc
           (lambda (k)
             (wind 1 (lambda ()
                       (dynamic-wind
                        (lambda () #f)
                        (lambda () (k 'thunk))
                        (lambda () (k 'after))))))))))  ; => ((in 1) (out 1) after)
(print (steps-of
        (lambda ()
          (call/cc
           (lambda (outer)
             (wind 1 (lambda ()
                       (call/cc
                        (lambda (inner)
                          (dynamic-wind
                           (lambda () #f)
                           (lambda () (outer 'outer))
                           (lambda () (inner 'inner)))))
                       'stopped)))))))  ; => ((in 1) (out 1) stopped)

;; From a handler, which runs where the raise is.
(print (steps-of
        (lambda ()
          (call/cc
           (lambda (k)
             (with-exception-handler
              (lambda (e) (step! 'handler) (k (list e 'handled)))
              (lambda () (wind 1 (lambda () (raise 'oops))))))))))
; => ((in 1) handler (out 1) (oops handled))
(define inner-k #f)
(print (with-exception-handler
        (lambda (e) (inner-k (list e 'inside)))
        (lambda ()
          (list 'thunk (call/cc (lambda (k) (set! inner-k k) (raise 'oops)))))))
; => (thunk (oops inside))
(print (call/cc (lambda (k) (guard (e (#t (k 'from-clause) 'no)) (raise 1)))))  ; => from-clause
(print (call/cc (lambda (k) (guard (e (#t 'no)) (k 'through-guard)))))  ; => through-guard

;; Too late.
(define saved #f)
(call/cc (lambda (k) (set! saved k)))
(print (guard (e (#t (error-object-message e))) (saved 1)))
; => continuation: its call/cc has returned already, and it can only escape from there
(print (procedure? saved) saved)  ; => #t #<procedure continuation>
(set! saved #f)
(set! inner-k #f)

;; Loops that escape each time, and out of deep recursion.
(define (often i sum)
  (if (= i 100000)
      sum
      (often (+ i 1) (+ sum (call/cc (lambda (k) (k 1)))))))
(print (often 0 0))  ; => 100000
(define (down n k) (if (= n 0) (k 'from-below) (+ 1 (down (- n 1) k))))
(print (call/cc (lambda (k) (down 100000 k))))  ; => from-below

;; Gradient modes are restored.
(define w (tensor 2.0 :requires-grad #t))
(define (records?) (guard (e (#t #f)) (backward (tensor-mul w w)) #t))
(print (call/cc (lambda (k) (no-grad (k (records?))))) (records?))  ; => #f #t
(print (guard (e (#t (list e (records?)))) (no-grad (raise (records?)))))  ; => (#f #t)
(print (no-grad (call/cc (lambda (k) (with-grad (k 1)))) (records?)))  ; => #f
