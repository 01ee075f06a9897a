; Operators by their ATen names: positional and keyword arguments, lists, several results.
(define a [[1.0 2.0] [3.0 4.0]])
(print (tensor-sum a) (tensor-sum a 0) (tensor-sum a :dim 1) (tensor-sum a :dim 1 :keepdim #t)) ; => 10.0 [4.0 6.0] [3.0 7.0] [[3.0] [7.0]]
(print (tensor-mean a) (tensor-max a) (tensor-argmax a :dim 1)) ; => 2.5 4.0 [1 1]
(print (tensor-matmul a a) (@ a [1.0 1.0]))       ; => [[7.0 10.0] [15.0 22.0]] [3.0 7.0]
(print (tensor-transpose a 0 1) (tensor-t a))     ; => [[1.0 3.0] [2.0 4.0]] [[1.0 3.0] [2.0 4.0]]
(print (tensor-zeros 2 3) (tensor-zeros '(2)) (tensor-ones 2 :dtype 'int64)) ; => [[0.0 0.0 0.0] [0.0 0.0 0.0]] [0.0 0.0] [1 1]
(print (tensor-full '(2 2) 7) (tensor-arange 5) (tensor-arange 1 4) (tensor-eye 2)) ; => [[7 7] [7 7]] [0 1 2 3 4] [1 2 3] [[1.0 0.0] [0.0 1.0]]
(print (tensor-topk [1.0 5.0 3.0] 2))             ; => ([5.0 3.0] [1 2])
(print (tensor-sort [3 1 2]))                     ; => ([1 2 3] [1 2 0])
(print (tensor-max a 1))                          ; => ([2.0 4.0] [1 1])
(print (tensor-softmax [0.0 0.0] 0) (tensor-softmax [1.0 1.0] :dim -1)) ; => [0.5 0.5] [0.5 0.5]
(print (tensor-cat (list [1] [2 3]) 0) (tensor-stack (list [1 2] [3 4]) :dim 0)) ; => [1 2 3] [[1 2] [3 4]]
(print (tensor-split [1 2 3 4] 2) (tensor-chunk [1 2 3] 3)) ; => ([1 2] [3 4]) ([1] [2] [3])
(print (tensor-view a 4) (tensor-reshape a '(1 4)) (tensor-view a -1)) ; => [1.0 2.0 3.0 4.0] [[1.0 2.0 3.0 4.0]] [1.0 2.0 3.0 4.0]
(print (tensor-index-select a 0 [1]) (tensor-where (tensor-gt a 2) a 0.0)) ; => [[3.0 4.0]] [[0.0 0.0] [3.0 4.0]]
(print (tensor-clamp a :min 2 :max 3) (tensor-relu [-1.0 1.0])) ; => [[2.0 2.0] [3.0 3.0]] [0.0 1.0]
(print (tensor-squeeze [[1]]) (tensor-unsqueeze [1] 0) (tensor-expand [1] 3)) ; => 1 [[1]] [1 1 1]
(print (tensor-linalg-solve [[2.0 0.0] [0.0 4.0]] [2.0 4.0])) ; => [1.0 1.0]
(print (tensor-any [#f #t]) (tensor-all [#f #t]) (tensor-allclose a a)) ; => #t #f #t
(print (map tensor-exp (list [0.0])) (map tensor-sum (list a [1]))) ; => ([1.0]) (10.0 1)
(print (tensor-to [1.5 2.5] 'int64) (tensor-dtype (tensor-to a 'float64))) ; => [1 2] float64
(print (apply tensor-sum (list a :dim 0)))        ; => [4.0 6.0]
