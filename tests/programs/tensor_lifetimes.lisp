; Handles die at their last use, in every position a tensor can take.
(define (live) (cdr (assq 'live-handles (tensor-memory))))
(define base (live))
(define (work n) (let* ((a (tensor-ones n)) (b (+ a 1)) (c (* a b))) (tensor-item (tensor-sum c))))
(print (work 10) (- (live) base))                 ; => 20.0 0
(define (branch flag x y) (if flag (tensor-sum x) (tensor-sum y)))
(print (branch #t [1 2] [3 4]) (branch #f [1 2] [3 4]) (- (live) base)) ; => 3 7 2
(define kept (list [1] [2]))
(print (- (live) base))                           ; => 2
(set! kept #f)
(print (- (live) base))                           ; => 0
(define holder (vector [1] [2] [3]))
(vector-set! holder 0 #f)
(print (- (live) base))                           ; => 2
(vector-fill! holder 0)
(print (- (live) base))                           ; => 0
(define (make) (let ((captured [1 2 3])) (lambda () (tensor-sum captured))))
(define closure (make))
(print (closure) (- (live) base))                 ; => 6 2
(set! closure #f)
(print (- (live) base))                           ; => 0
(define (last-of n) (let loop ((i 0) (x [0])) (if (= i n) x (loop (+ i 1) (+ x i)))))
(print (last-of 5) (- (live) base))               ; => [10] 1
(define (ignore x) 'ignored)
(print (ignore [1 2]) (- (live) base))            ; => ignored 0
(print (length (map (lambda (x) (+ x 1)) (list [1] [2]))) (- (live) base)) ; => 2 0
(define (twice x) (+ x x))
(print (twice (twice [1])) (- (live) base))       ; => [4] 1
(define pair (cons [1] [2]))
(set-car! pair 'gone)
(print (- (live) base))                           ; => 1
(set-cdr! pair 'gone)
(print (- (live) base))                           ; => 0

; A guard that has caught an error keeps nothing of its body.
(define (choose f x) (if f (f x) x))
(define (live-after)
  (guard (e (#t (- (live) base))) (list (choose #f (tensor-zeros 3)) (car 5))))
(print (live-after))                      ; => 0
