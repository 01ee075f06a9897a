; Brackets are tensor expressions: nested, evaluated, typed by their elements.
(print [1.0 2.0 3.0] [[1 2] [3 4]] [#t #f] [])    ; => [1.0 2.0 3.0] [[1 2] [3 4]] [#t #f] []
(print (tensor-dtype [1 2]) (tensor-dtype [1 2.0]) (tensor-dtype [1/2]) (tensor-dtype [#t])) ; => int64 float32 float32 bool
(print (tensor-shape [[1 2 3] [4 5 6]]) (tensor-rank [[[1]]]) (tensor-shape [])) ; => (2 3) 3 (0)
(define x 2)
(print [x (* x x) (+ x 0.5)])                     ; => [2.0 4.0 2.5]
(define row [1.0 2.0])
(print [row row] (tensor-shape [row row row]))    ; => [[1.0 2.0] [1.0 2.0]] (3 2)
(print (tensor 5) (tensor '(1 2.5)) (tensor #((1 2) (3 4)) :dtype 'float64)) ; => 5 [1.0 2.5] [[1.0 2.0] [3.0 4.0]]
(print (tensor-dtype (tensor 1.5)) (tensor-rank (tensor 1.5)) (tensor-dtype (tensor '(1) :dtype 'f64))) ; => float32 0 float64
(print (tensor->list [[1 2] [3 4]]) (tensor->list [0.5]) (tensor->list [#t])) ; => ((1 2) (3 4)) (0.5) (#t)
(print (tensor-item [7]) (tensor-item [2.5]) (tensor-item [#f])) ; => 7 2.5 #f
(print (tensor? [1]) (tensor? '(1)) (number? [1])) ; => #t #f #f
(define (pair-up a b) [[a b] [b a]])
(print (pair-up 1 2) (pair-up 0.5 1))             ; => [[1 2] [2 1]] [[0.5 1.0] [1.0 0.5]]
