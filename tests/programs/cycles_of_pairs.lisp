; Stores into pairs: those that close a cycle are found and freed, those that cannot are not noted.
(define (freed) (cdr (assq 'freed-objects (garbage-statistics))))
(define (count-freed thunk)
  (collect-garbage)
  (let ((before (freed)))
    (thunk)
    (collect-garbage)
    (- (freed) before)))
(define (repeat n thunk) (if (> n 0) (begin (thunk) (repeat (- n 1) thunk))))

;; Rings of one to ten pairs, closed by their last pair's cdr, and by its car.
(define (ring n) (let ((l (iota n))) (set-cdr! (list-tail l (- n 1)) l)))
(define (car-ring n) (let ((l (iota n))) (set-car! (list-tail l (- n 1)) l)))
(print (map (lambda (n) (count-freed (lambda () (ring (+ n 1))))) (iota 10)))      ; => (1 2 3 4 5 6 7 8 9 10)
(print (map (lambda (n) (count-freed (lambda () (car-ring (+ n 1))))) (iota 10)))  ; => (1 2 3 4 5 6 7 8 9 10)

;; The first store closes nothing; the second one does, whatever stands between.
(define (two-stores between)
  (let* ((a (list 1)) (b (list 2)))
    (set-cdr! a (cons between b))
    (set-cdr! b a)))
(print (count-freed (lambda () (two-stores 'x))) (count-freed (lambda () (two-stores (list 1 (list 2) 3)))))  ; => 3 7
(define (through-vector) (let* ((a (list 1)) (v (vector 0 a))) (set-cdr! a (list v))))
(define (through-procedure) (let ((a (list 1))) (set-car! a (lambda () a))))
(define (through-tree) (let* ((a (list 1)) (t (list (list (list a) 2) 3))) (set-cdr! a t)))
(print (> (count-freed through-vector) 0) (> (count-freed through-procedure) 0) (count-freed through-tree))  ; => #t #t 6

;; A pair that has been stored into first, and is on a cycle later, through another pair's store.
(define (later) (let* ((a (list 1)) (b (list 2)) (c (list 3))) (set-cdr! a b) (set-cdr! b c) (set-cdr! c a)))
(print (count-freed later))                     ; => 3
(print (count-freed (lambda () (repeat 100 later))))  ; => 300

;; A queue leaves no cycles; its elements come out in order.
(define (make-queue) (let ((head (list 'head))) (cons head head)))
(define (enqueue! q x) (let ((p (list x))) (set-cdr! (cdr q) p) (set-cdr! q p)))
(define q (make-queue))
(print (count-freed (lambda () (repeat 1000 (lambda () (enqueue! q (list 1 2)))))))  ; => 0
(print (length (car q)) (list-ref (car q) 1000))                               ; => 1001 (1 2)

;; Union-find with paths that are made shorter.
(define (make-set x) (cons x #f))
(define (find s) (if (cdr s) (let ((r (find (cdr s)))) (set-cdr! s r) r) s))
(define sets (map make-set (iota 8)))
(for-each (lambda (a b) (let ((x (find a)) (y (find b))) (if (not (eq? x y)) (set-cdr! x y)))) sets (cdr sets))
(print (map (lambda (s) (car (find s))) sets))  ; => (7 7 7 7 7 7 7 7)
