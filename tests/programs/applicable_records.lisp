; define-record-type with :call.
(define-record-type counter (make-counter n) counter? (n counter-n set-counter-n!)
  :call (lambda (self k :by 1) (+ (counter-n self) (* k by))))
(define c (make-counter 10))
(print (c 5) (c 5 :by 3) (procedure? c) (procedure? counter))  ; => 15 25 #t #f
(print (apply c '(1)) (map c '(1 2 3)) (counter? c))  ; => 11 (11 12 13) #t
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (c))))  ; => counter: expected 1 argument, got 0
(print (message (lambda () (c 1 2 3))))  ; => counter: expected 1 argument, got 3
(print (message (lambda () (c 1 :to 2))))  ; => counter: unknown keyword :to
(print (message (lambda () (apply c '()))))  ; => counter: expected 1 argument, got 0
; A call is a proper tail call.
(define-record-type loop (make-loop) loop?
  :call (lambda (self n) (if (= n 0) 'done (self (- n 1)))))
(print ((make-loop) 1000000))  ; => done
(define (bounce f n) (if (= n 0) 'done (f f (- n 1))))
(define-record-type bouncer (make-bouncer f) bouncer? (f bouncer-f)
  :call (lambda (self g n) ((bouncer-f self) g n)))
(print (bounce (make-bouncer bounce) 300000))  ; => done
; Procedures without keywords, with rest arguments, and primitives.
(define-record-type adder (make-adder) adder? :call (lambda (self . numbers) (apply + numbers)))
(print ((make-adder) 1 2 3) ((make-adder)))  ; => 6 0
(define-record-type tagged (make-tagged) tagged? :call list)
(print (length ((make-tagged) 1 2)))  ; => 3
(print (message (lambda () (let () (define-record-type bad (make-bad) bad? :call 5) (make-bad)))))  ; => bad: expected a procedure after :call, got 5
; A local type's procedure sees the variables around it.
(define (maker k)
  (define-record-type times (make-times) times? :call (lambda (self x) (* k x)))
  (make-times))
(print ((maker 3) 4))  ; => 12
; What may be asked of any record.
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(define p (make-point 1 2))
(print (record? p) (record? '(1)) (record? c))  ; => #t #f #t
(print (eq? (record-type p) point) (record-type-name point) (record-type-fields point))  ; => #t point (x y)
(print (record-fields p) (record-ref p 'y))  ; => (1 2) 2
(record-set! p 'x 7)
(print p)  ; => #<point x: 7 y: 2>
(print (message (lambda () (record-ref p 'z))))  ; => record-ref: point has no field z; its fields are
(print (message (lambda () (record-ref 5 'z))))  ; => record-ref: expected a record, got 5
(print (message (lambda () (record-type-fields p))))  ; => record-type-fields: expected a record type, got #<point x: 7 y: 2>
