; Library procedures and continuations that are passed as values: calls of any count, tail calls, errors.
(define-syntax said
  (syntax-rules () ((_ form) (guard (e (#t (error-object-message e))) form))))
(define table (list + * max < - /))
(define (pick n) (list-ref table n))
(define (call f . all) (apply f all))
(define (two f a b) (f a b))                    ; a tail call of a value
(define (three f a b c) (f a b c))
(define (not-last f a b) (list (f a b)))
(print (two (pick 0) 1 2) (three (pick 0) 1 2 3) (call (pick 0)) (call (pick 0) 5))    ; => 3 6 0 5
(print (two (pick 2) 1 2) (three (pick 2) 1 9 3) (call (pick 2) 4) (not-last (pick 2) 7 6))  ; => 2 9 4 (7)
(print (two (pick 3) 1 2) (three (pick 3) 1 2 2) (not-last (pick 3) 2 1) (call (pick 3) 1))  ; => #t #f (#f) #t
(print (two (pick 4) 1 2) (two (pick 5) 1 2) (call (pick 4) 3) (call (pick 5) 4))  ; => -1 1/2 -3 1/4
(print (two (pick 1) (expt 2 40) (expt 2 40)) (not-last (pick 0) 1.5 2))  ; => 1208925819614629174706176 (3.5)

;; A wrong argument, or a wrong count, is an error of the procedure.
(print (said (two (pick 0) 1 'a)))              ; => +: expected a number, got a
(print (said (not-last (pick 3) 'b 1)))         ; => <: expected a number, got b
(print (said (three (pick 1) 1 "c" 2)))         ; => *: expected a number, got "c"
(print (said (call (pick 2))))                  ; => max: expected at least 1 argument, got 0
(print (said (two (pick 5) 1 0)))               ; => /: division by zero

;; Tail calls in loops take no room, and a sort calls what it is given.
(define (walk f n) (if (= n 0) (f 1 2) (walk f (- n 1))))
(print (walk (pick 0) 100000) (sort (list 3 1 2) (pick 3)))                 ; => 3 (1 2 3)
(define-record-type adder (make-adder n) adder? (n adder-n))
(print (map (pick 0) '(1 2) '(3 4)) (fold-left (pick 1) 1 '(2 3 4)))        ; => (4 6) 24
(print (vector-map (pick 2) #(1 5) #(4 2)) (apply (pick 0) 1 '(2)))         ; => #(4 5) 3

;; Continuations: called with one result, several, none; in tail position and elsewhere.
(define (leave k v) (k v))
(define (leave-inside k v) (list (k v)))
(print (call/cc (lambda (k) (leave k 'tail))) (call/cc (lambda (k) (leave-inside k 'inside))))  ; => tail inside
(print (call-with-values (lambda () (call/cc (lambda (k) (k 1 2)))) list))  ; => (1 2)
(print (call-with-values (lambda () (call/cc (lambda (k) (k)))) list))      ; => ()
(define kept #f)
(print (call/cc (lambda (k) (set! kept k) 1)))  ; => 1
(print (said (leave kept 2)))                   ; => continuation: its call/cc has returned already, and it can only escape from there
(define (nested n) (if (= n 0) 0 (+ 1 (call/cc (lambda (k) (leave k (nested (- n 1))))))))
(print (nested 1000))                           ; => 1000
(define order '())
(print (call/cc (lambda (k) (dynamic-wind (lambda () (set! order (cons 'in order))) (lambda () (leave k 'out)) (lambda () (set! order (cons 'after order))))) ) order)  ; => out (after in)
