; What a tail call through an unknown procedure passed on dies when the callee is done with it.
(define (live) (cdr (assq 'live-handles (tensor-memory))))
(define (call f x) (f x))
(print (call (lambda (x) (tensor-item (tensor-sum x))) [1 2])) ; => 3
(print (live))                                    ; => 0
(define (go f n x) (if (= n 0) 'done (f f (- n 1) x)))
(print (go go 5 [1 2]) (live))                    ; => done 0
