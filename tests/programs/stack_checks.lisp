; Only paths that call something check how much stack is left.
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (longer items)
  (if (null? items) 0 (+ 1 (longer (cons 1 items)))))
(print (message (lambda () (longer '(1)))))       ; => recursion is too deep
(print (longer '()))                              ; => 0
(define (nested n items)
  (if (pair? items)
      (if (eq? (car items) n)
          (list n)
          (cons n (nested n (cons 0 (list n (nested n (list 1)))))))
      '()))
(print (message (lambda () (nested 1 '(2)))))     ; => recursion is too deep
(print (nested 1 '(1)) (nested 1 2))              ; => (1) ()
(define (looping n)
  (let loop ((i 0) (sum 0))
    (if (< i n) (loop (+ i 1) (+ sum (looping (+ i n)))) sum)))
(print (message (lambda () (looping 1))))         ; => recursion is too deep
(print (looping 0))                               ; => 0
(define (through f x) (if (null? x) 'end (list (f f (list x)))))
(print (message (lambda () (through through '(1))))) ; => recursion is too deep
(print (through through '()))                     ; => end
