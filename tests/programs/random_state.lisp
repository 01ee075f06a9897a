; random-state and set-random-state!: all random numbers continue exactly.
(define (draw)
  (list (random) (random 1000) (random (expt 10 40)) (tensor->list (tensor-randn 5))
        (tensor->list (tensor-rand 20)) (tensor->list (tensor-randperm 9))))
(random-seed! 4)
(manual-seed 3)
(define start (random-state))
(print (car start)) ; => (random . 56943569441690856965180489089898370108022740394700783605219193994512677702346)
(print (map car (cdr (assoc "tensors" start)))) ; => (cpu)
(define first (draw))
(define middle (random-state))                   ; an odd number of normal ones has been drawn
(define second (draw))
(set-random-state! middle)
(print (equal? second (draw)) (equal? first second)) ; => #t #f
(set-random-state! start)
(print (equal? first (draw)) (equal? second (draw))) ; => #t #t
(random-seed! 1)                                 ; a state is a snapshot
(set-random-state! middle)
(print (equal? second (draw)))                   ; => #t

(define (refusal thunk)
  (guard (e (#t (print (error-object-message e) (error-object-irritants e)))) (thunk)))
(define (with name value) (map (lambda (e) (if (equal? (car e) name) (cons name value) e)) start))
(refusal (lambda () (set-random-state! 5)))      ; => set-random-state!: expected a random state, got (5)
(refusal (lambda () (set-random-state! (with "random" 0)))) ; => set-random-state!: expected a state of random, got 0 ()
(refusal (lambda () (set-random-state! (with "tensors" 0)))) ; => set-random-state!: expected an alist or a hash table, got 0 ()
(refusal (lambda () (set-random-state! (with "tensors" (list (cons "cpu" [1]))))))
; => set-random-state!: expected the state of the generator of cpu, which is a tensor uint8 (5056), got a tensor int64 (1) ()
