; A trailing ! changes the tensor and returns it; views share storage.
(define x [1.0 2.0 3.0])
(define y x)
(print (tensor-add! x 1) y (eq? x y))             ; => [2.0 3.0 4.0] [2.0 3.0 4.0] #t
(tensor-mul! x [2.0 0.5 1.0])
(print x)                                         ; => [4.0 1.5 4.0]
(define view (tensor-slice x 0 1 3))
(tensor-zero! view)
(print x view)                                    ; => [4.0 0.0 0.0] [0.0 0.0]
(define copy (tensor-copy x))
(tensor-fill! copy 9)
(print x copy)                                    ; => [4.0 0.0 0.0] [9.0 9.0 9.0]
(tensor-copy! x [7.0 8.0 9.0])
(print x)                                         ; => [7.0 8.0 9.0]
(define m [[1 2 3] [4 5 6]])
(print (tensor-ref m 0) (tensor-ref m 1 2) (tensor-ref m :all 1) (tensor-ref m -1 0)) ; => [1 2 3] 6 [2 5] 4
(print (tensor-ref m 0 (range 1 3)) (tensor-ref m [1 0])) ; => [2 3] [[4 5 6] [1 2 3]]
(print (tensor-ref m (tensor-gt m 3)))            ; => [4 5 6]
(tensor-set! m 0 0 100)
(tensor-set! m 1 [7 8 9])
(print m)                                         ; => [[100 2 3] [7 8 9]]
(tensor-set! m :all 2 0)
(print m (tensor-slice m 1 -2 3))                 ; => [[100 2 0] [7 8 0]] [[2 0] [8 0]]
(define row (tensor-ref m 0))
(tensor-add! row 1)
(print m)                                         ; => [[101 3 1] [7 8 0]]
