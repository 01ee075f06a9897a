; Generic arithmetic takes tensors, with broadcasting and PyTorch's promotion.
(print (+ [1 2] [10 20]) (- [1 2] 1) (* 2 [1.5 2.5]) (/ [1.0 4.0] 2)) ; => [11 22] [0 1] [3.0 5.0] [0.5 2.0]
(print (/ [1 2] 2) (tensor-dtype (/ [1 2] 2)))    ; => [0.5 1.0] float32
(print (+ [1 2] 0.5) (+ [1 2] 1/2) (* [1.0] 2))   ; => [1.5 2.5] [1.5 2.5] [2.0]
(print (+ [[1 2] [3 4]] [10 20]))                 ; => [[11 22] [13 24]]
(print (* [[1] [2]] [1 2 3]))                     ; => [[1 2 3] [2 4 6]]
(print (+ [1] [2] [3]) (- [5]) (- 1 [1 2]) (/ 1 [1.0 2.0])) ; => [6] [-5] [0 -1] [1.0 0.5]
(print (abs [-1 2]) (square [3.0]) (sqrt [4.0 9.0]) (exp [0.0]) (log [1.0])) ; => [1 2] [9.0] [2.0 3.0] [1.0] [0.0]
(print (max [1 5] [3 2]) (min [1.0 5.0] 2) (expt [2.0 3.0] 2)) ; => [3 5] [1.0 2.0] [4.0 9.0]
(print (floor [1.5 -1.5]) (round [0.5 1.5 2.5]) (tanh [0.0]) (sin [0.0])) ; => [1.0 -2.0] [0.0 2.0 2.0] [0.0] [0.0]
(print (= [2.0] 2) (< [1] [2]) (> 3 [2.5]) (= (tensor 3) 3)) ; => #t #t #t #t
(print (tensor-eq [1 2] [1 3]) (tensor-lt [1 5] [2 2]) (tensor-gt [1.0] 0)) ; => [#t #f] [#t #f] [#t]
(print (tensor-dtype (+ [1] [1.0])) (tensor-dtype (+ [1] 1))) ; => float32 int64
(print (equal? [1 2] [1 2]) (equal? [1 2] [1.0 2.0]) (equal? [1 2] [[1 2]]) (eq? [1] [1])) ; => #t #f #f #f
(print (if (tensor-gt [2] 1) 'yes 'no) (if [0] 'yes 'no) (not (tensor-gt [0] 1))) ; => yes yes #t
(print (apply + (list [1] [2] 3)) (fold + 0 (list [1.0] [2.0])) (map square (list [2] 3))) ; => [6] [3.0] ([4] 9)
(define nan (/ [0.0] 0.0))
(print (equal? nan nan) (eqv? nan nan) (equal? nan (tensor-copy nan))) ; => #t #t #f
(print (modulo [5 -5] 3) (quotient 7 [2 -2]) (remainder [5 -5] 3) (asin [0.5]) (acos [1.0]) (atan [1.0] 1)) ; => [2 1] [3 -3] [2 -2] [0.5236] [0.0] [0.7854]
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(print (message (< 1 [1 2])))                     ; => <: expected a tensor of one element, got a tensor int64 (2)
(print (message (modulo [1 2] 'a)))               ; => modulo: expected a number, got a
