; tensor-ref and tensor-set!: what numpy and PyTorch do, with views where that is possible.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(define x (tensor-reshape (tensor-arange 24) 2 3 4))
(print (tensor-ref x 1 2 3) (tensor-ref x -1 -1 -1) (tensor-ref x 0 1) (tensor-ref x)) ; => 23 23 [4 5 6 7] [[[0 1 2 3] [4 5 6 7] [8 9 10 11]] [[12 13 14 15] [16 17 18 19] [20 21 22 23]]]
(print (tensor-ref x :all 0 (range 1 4 2)) (tensor-ref x 0 (range 1 3) 0) (tensor-ref x 0 0 (range -2 0))) ; => [[1 3] [13 15]] [4 8] [2 3]
(print (tensor-ref x :ellipsis 0) (tensor-ref x 0 :ellipsis 0) (tensor-shape (tensor-ref x :ellipsis))) ; => [[0 4 8] [12 16 20]] [0 4 8] (2 3 4)
(print (tensor-shape (tensor-ref x :new-axis)) (tensor-shape (tensor-ref x 0 :new-axis :ellipsis :new-axis)) (tensor-shape (tensor-ref x :ellipsis :new-axis 0))) ; => (1 2 3 4) (1 3 4 1) (2 3 1)
(print (tensor-ref x 0 0 '(3 0 0)) (tensor-ref x 0 '(2 0 1) '(3 1 0)) (tensor-ref x 0 0 (range 3 -1 -1)) (tensor-ref x 0 0 '())) ; => [3 0 0] [[11 9 8] [3 1 0] [7 5 4]] [3 2 1 0] []
; Index tensors broadcast together; a slice between them puts their dimensions first.
(print (tensor-ref x [0 1] [2 0]) (tensor-ref x [0 1] [2 0] [[3] [0]])) ; => [[8 9 10 11] [12 13 14 15]] [[11 15] [8 12]]
(print (tensor-ref x [1 0] :all [0 1]) (tensor-shape (tensor-ref x :all [[0 1] [1 2]])) (tensor-shape (tensor-ref x 0 :all [[0 1 2]]))) ; => [[12 16 20] [1 5 9]] (2 2 2 4) (3 1 3)
(print (tensor-ref x (tensor 1) (tensor -1) 0) (tensor-ref x [-1] 0 0) (tensor-ref x 0 0 (tensor '(1 2) :dtype 'int8))) ; => 20 [12] [1 2]
; Masks.
(define m [[1 -2 3] [-4 5 -6]])
(print (tensor-ref m (tensor-lt m 0)) (tensor-ref m [#f #t]) (tensor-ref m :all [#t #f #t]) (tensor-ref m [#f #f])) ; => [-2 -4 -6] [[-4 5 -6]] [[1 3] [-4 -6]] []
(print (tensor-shape (tensor-ref m (tensor #t))) (tensor-shape (tensor-ref m (tensor #f))) (tensor-ref m [#t #f] 1)) ; => (1 2 3) (0 2 3) [-2]
; Views share memory, gathered parts do not.
(define y (tensor-zeros 2 3))
(tensor-add! (tensor-ref y 0 (range 1 3)) 1)
(tensor-add! (tensor-ref y [1]) 1)
(print y)                                         ; => [[0.0 1.0 1.0] [0.0 0.0 0.0]]
; Setting: numbers, tensors and lists broadcast, and become the tensor's dtype.
(define (after x . more) (tensor-copy (apply tensor-set! x more)))
(print (after y 1 7) (eq? y (tensor-set! y 0 0 #t))) ; => [[0.0 1.0 1.0] [7.0 7.0 7.0]] #t
(print (after y :all (range 1 3) [[5] [6]]) (after y 0 '(1/2 2 3))) ; => [[1.0 5.0 5.0] [7.0 6.0 6.0]] [[0.5 2.0 3.0] [7.0 6.0 6.0]]
(print (tensor-set! [1 2 3] 0 1.7) (tensor-set! [1 2 3] :all [[[9.9 8 7]]]) (tensor-set! [1 2 3] 5)) ; => [1 2 3] [9 8 7] [5 5 5]
(print (tensor-set! (tensor-zeros 5) [0 2] 1) (tensor-set! (tensor-zeros 5) [0 2] [3 4]) (tensor-set! (tensor-zeros 5) '(4 0 1) [7 8 9])) ; => [1.0 0.0 1.0 0.0 0.0] [3.0 0.0 4.0 0.0 0.0] [8.0 9.0 0.0 0.0 7.0]
(print (tensor-set! (tensor-zeros 3 3) '(2 0 1) '(0 2 1) [[1 2 3] [4 5 6] [7 8 9]])) ; => [[4.0 6.0 5.0] [7.0 9.0 8.0] [1.0 3.0 2.0]]
(print (tensor-set! (tensor-zeros 3 3) [0 1 2] [2 1 0] [1 2 3]) (tensor-set! (tensor-zeros 2 3) :all [0 2] [[1 2]])) ; => [[0.0 0.0 1.0] [0.0 2.0 0.0] [3.0 0.0 0.0]] [[1.0 0.0 2.0] [1.0 0.0 2.0]]
(define n (tensor-copy m))
(print (after n (tensor-lt n 0) 0) (after n (tensor-eq n 0) [10 20 30]) (after n [#t #f] :new-axis 1)) ; => [[1 0 3] [0 5 0]] [[1 10 3] [20 5 30]] [[1 1 1] [20 5 30]]
(print (tensor-set! (tensor '(0 0) :dtype 'u8) 0 -1) (message (tensor-set! (tensor '(0) :dtype 'u8) 0 300)) (message (tensor-set! [1] 0 +nan.0))) ; => [255 0] tensor-set!: 300 does not fit into uint8 tensor-set!: +nan.0 does not fit into int64
(print (message (tensor-set! [1.0] 0 1e300)) (tensor-set! [1.0] 0 +inf.0) (message (tensor-set! [1.0] 0 (expt 10 400)))) ; => tensor-set!: 1e300 does not fit into float32 [inf] tensor-set!: 100000000000000000000000000000000000000000000000000000000000... does not fit into float32
; What is written may overlap what it is read from.
(define s [0 1 2 3 4 5])
(print (after s (range 1 6) (tensor-ref s (range 0 5))) (after s (range 0 5) (tensor-ref s (range 1 6))) (after s s)) ; => [0 0 1 2 3 4] [0 1 2 3 4 4] [0 1 2 3 4 4]
(define p [3 1 2 0])
(print (tensor-set! p p p) (tensor-set! [[1 2] [3 4]] :all 0 0)) ; => [0 1 2 3] [[0 2] [0 4]]
(print (message (tensor-set! (tensor-expand [1] 3) :all 5))) ; => tensor-set!: elements of this tensor share memory
(print (message (tensor-set! (tensor-expand [1] 3) 0 5))) ; => tensor-set!: elements of this tensor share memory
(define w (requires-grad! [1.0 2.0 3.0]))
(print (message (tensor-set! w 0 5)) (no-grad (tensor-set! w 0 5))) ; => tensor-set!: a view of a leaf that requires grad cannot be changed in place [5.0 2.0 3.0]
(define v (* w 2))
(tensor-set! v 1 (tensor-ref w 2))
(backward (tensor-sum (tensor-ref v '(0 1 1))))
(print (tensor-grad w))                           ; => [2.0 0.0 2.0]
; tensor-slice.
(define a [0 1 2 3 4 5 6])
(print (tensor-slice a 0 2) (tensor-slice a 0 -3 -1) (tensor-slice a 0 #f #f 3) (tensor-slice a -1 5 100) (tensor-slice a 0 4 2) (tensor-slice a 0 -100 2)) ; => [2 3 4 5 6] [4 5] [0 3 6] [5 6] [] [0 1]
(print (message (tensor-slice a 0 1 2 0)) (message (tensor-slice a 1)) (message (tensor-slice (tensor 1) 0))) ; => tensor-slice: expected a positive step, got 0 tensor-slice: dim 1 is out of range for a tensor of rank 1 tensor-slice: dim 0 is out of range for a tensor of rank 0
; What cannot be.
(print (message (tensor-ref x 2)) (message (tensor-ref x 0 -4)) (message (tensor-ref x :all :all '(0 9)))) ; => tensor-ref: index 2 is out of range for dim 0 of size 2 tensor-ref: index -4 is out of range for dim 1 of size 3 tensor-ref: index 9 is out of range for dim 2 of size 4
(print (message (tensor-ref x 0 [0 5])) (message (tensor-set! x 0 [0 -5] 1)) (message (tensor-ref x [0 1] [0 1 2]))) ; => tensor-ref: index 5 is out of range for dim 1 of size 3 tensor-set!: index -5 is out of range for dim 1 of size 3 tensor-ref: index tensors of shapes (2) and (3) do not broadcast
(print (message (tensor-ref x 0 0 0 0)) (message (tensor-ref x :ellipsis :ellipsis)) (message (tensor-ref x 1.5)) (message (tensor-ref x #t))) ; => tensor-ref: too many indices for a tensor of rank 3 tensor-ref: :ellipsis occurs twice among the indices tensor-ref: expected an integer, :all, a range or a tensor as index, got 1.5 tensor-ref: expected an integer, :all, a range or a tensor as index, got #t
(print (message (tensor-ref x [0.5])) (message (tensor-ref x (tensor '(1) :dtype 'u8))) (message (tensor-ref x [#t #f #t]))) ; => tensor-ref: expected integers or booleans as index, got a tensor float32 (1) tensor-ref: cannot index with a uint8 tensor tensor-ref: a mask of shape (3) does not fit dim 0 of size 2
(print (message (tensor-set! [1 2 3] :all [1 2])) (message (tensor-set! x [0 1] 0 [1 2 3])) (message (tensor-set! [1] 0 'a))) ; => tensor-set!: a value of shape (2) does not broadcast to (3) tensor-set!: a value of shape (3) does not broadcast to (2 4) tensor-set!: expected a number or a tensor, got a
; The whole of a tensor is a view of it, too: a tensor of its own, on the same memory, and no leaf.
(define whole [[1 2 3] [4 5 6]])
(print (map (lambda (indices) (let ((view (apply tensor-ref whole indices))) (tensor-t! view) (list (eq? view whole) (tensor-shape view)))) '((:all) (:ellipsis) () (:all :all) (:ellipsis :all)))) ; => ((#f (3 2)) (#f (3 2)) (#f (3 2)) (#f (3 2)) (#f (3 2)))
(tensor-fill! (tensor-ref whole :ellipsis) 0)
(print whole (tensor-shape whole))                ; => [[0 0 0] [0 0 0]] (2 3)
(define leaf (requires-grad! [1.0 2.0]))
(print (map tensor-is-leaf (list leaf (tensor-ref leaf :all) (tensor-ref leaf :ellipsis) (tensor-ref leaf)))) ; => (#t #f #f #f)
(backward (tensor-sum (tensor-mul (tensor-ref leaf :all) 3)))
(print (tensor-grad leaf))                        ; => [3.0 3.0]
