; A whole training loop: batches in a named let, parameters updated without a graph.
(manual-seed 1)
(define true-w [[2.0] [-3.0]])
(define inputs (tensor-randn 64 2))
(define targets (+ (@ inputs true-w) 0.5))
(define w (requires-grad! (tensor-zeros 2 1)))
(define b (requires-grad! (tensor-zeros 1)))
(define (predict x) (+ (@ x w) b))
(define (loss-of x y) (tensor-mean (square (- (predict x) y))))
(define (update! p rate)
  (no-grad (tensor-sub! p (* rate (tensor-grad p))))
  (zero-grad! p))
(let epoch ((i 0))
  (when (< i 200)
    (backward (loss-of inputs targets))
    (for-each (lambda (p) (update! p 0.1)) (list w b))
    (epoch (+ i 1))))
(print (round (* 100 (tensor-ref w :all 0))) (round (* 100 b))) ; => [200.0 -300.0] [50.0]
(print (< (tensor-item (loss-of inputs targets)) 1e-6)) ; => #t
(print (sgd (parameters (linear 2 3)) :lr 0.1) (optimizer? (vector 'optimizer 1 2 3))) ; => #<optimizer kind: sgd parameters: 9 lr: 0.1> #f
