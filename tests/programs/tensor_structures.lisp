; Tensors in hash tables, records, promises, multiple values and equal?.
(define a [1.0 2.0])
(define b [1.0 2.0])
(define h (hash-table a 'a (list a) 'list))
(print (hash-ref h a) (hash-ref h b 'none) (hash-ref h (list b)) (hash-has-key? h (tensor-copy a))) ; => a none list #f
(hash-set! h b 'b)
(print h (hash-ref h b) (equal? a b) (eqv? a b) (equal? (vector a 1) (vector b 1)) (hash->list h)) ; => #<hash-table [1.0 2.0]: a ([1.0 2.0]): list [1.0 2.0]: b> b #t #f #t (([1.0 2.0] . a) (([1.0 2.0]) . list) ([1.0 2.0] . b))
(hash-delete! h a)
(print (hash-ref h b) (hash-size h))                  ; => b 2
(define-record-type <layer> (make-layer weight bias) layer? (weight layer-weight set-layer-weight!) (bias layer-bias))
(define l (make-layer [[1 2] [3 4]] [1 1]))
(set-layer-weight! l (@ (layer-weight l) (layer-weight l)))
(print l (+ (layer-bias l) 1) (layer? a))             ; => #<layer weight: [[7 10] [15 22]] bias: [1 1]> [2 2] #f
(define-values (low high) (values (tensor-amin a) (tensor-amax a)))
(set! low 0)
(print low high (receive (x . more) (values a b a) (+ x (car more))) (force (delay (* a 2)))) ; => 0 2.0 [2.0 4.0] [2.0 4.0]
(define scale (case-lambda ((x) (* x 2)) ((x k) (* x k))))
(print (scale a) (scale a 3) (map (lambda (t) (tensor-item (tensor-sum t))) (sort (list [3] [1 1] [1]) (lambda (x y) (< (tensor-sum x) (tensor-sum y)))))) ; => [2.0 4.0] [3.0 6.0] (1 2 3)
(print (guard (e (#t (error-object-message e))) (layer-bias a))) ; => layer-bias: expected a layer, got a tensor float32 (2)
