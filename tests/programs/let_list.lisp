(let-list (((values indices) (tensor-topk [1.0 5.0 3.0] 2))
           ((a . rest) '(1 2 3)))
  (print values indices a rest))  ; => [5.0 3.0] [1 2] 1 (2 3)
(let-list (((x y) (list 1 2))) (print (+ x y)))  ; => 3
(let-list ((() '()) (all '(1 2))) (print all))  ; => (1 2)
(define x 'outer)
(let-list (((x) '(inner)) ((y) (list x))) (print x y))  ; => inner outer
(define (halves t) (let-list (((a b) (tensor-chunk t 2))) (- a b)))
(print (halves [5.0 6.0 1.0 1.0]))  ; => [4.0 5.0]
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (let-list (((a b) '(1))) a))))  ; => let-list: expected a list of 2 elements, got 1
(print (message (lambda () (let-list (((a b . c) (map + '(1)))) a))))  ; => let-list: expected a list of at least 2 elements, got 1
(print (message (lambda () (let-list (((a) 5)) a))))  ; => let-list: expected a list, got 5
(print (message (lambda () (let-list (((a) '(1 2))) a))))  ; => let-list: expected a list of 1 element, got 2
