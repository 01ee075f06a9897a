; set! on locals, parameters, captured variables and top-level variables.
(define x 1)
(define (bump!) (set! x (+ x 1)))
(bump!) (bump!)
(print x)                                         ; => 3
(define (f n) (set! n (* n 2)) n)
(print (f 21))                                    ; => 42
(define (swap pair) (let ((a (car pair)) (b (cdr pair))) (set! a (cdr pair)) (set! b (car pair)) (cons a b)))
(print (swap '(1 . 2)))                           ; => (2 . 1)
(define log '())
(define (note! item) (set! log (cons item log)) item)
(print (+ (note! 1) (note! 2)) log)               ; => 3 (2 1)
(define (accumulate) (let ((total 0)) (for-each (lambda (i) (set! total (+ total i))) '(1 2 3 4)) total))
(print (accumulate))                              ; => 10
(define text "a")
(do ((i 0 (+ i 1))) ((= i 3)) (set! text (string-append text "b")))
(print text)                                      ; => abbb
(define later #f)
(define (call-later) (later 5))
(set! later (lambda (n) (* n n)))
(print (call-later))                              ; => 25
(define f2 (let ((v (vector 1 2))) (lambda () (let ((old v)) (set! v (vector 3)) old))))
(print (f2) (f2))                                 ; => #(1 2) #(3)
(define x "another type")
(print x)                                         ; => another type
