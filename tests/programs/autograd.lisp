; Gradients: accumulation, clearing, graphs through procedures, higher derivatives.
(define x (requires-grad! [1.0 2.0 3.0]))
(define (energy v) (tensor-sum (* v v)))
(print (tensor-grad x))                           ; => #f
(backward (energy x))
(print (tensor-grad x))                           ; => [2.0 4.0 6.0]
(backward (energy x))
(print (tensor-grad x))                           ; => [4.0 8.0 12.0]
(zero-grad! x)
(print (tensor-grad x))                           ; => #f
(define w (tensor [[1.0 0.0] [0.0 1.0]] :requires-grad #t))
(define b (tensor-zeros 2 :requires-grad #t))
(define (layer input) (tensor-relu (+ (@ input w) b)))
(backward (tensor-sum (layer [[1.0 -1.0] [2.0 3.0]])))
(print (tensor-grad w) (tensor-grad b))           ; => [[3.0 2.0] [2.0 3.0]] [2.0 1.0]
(print (gradients (tensor-sum (* x x x)) (list x))) ; => ([3.0 12.0 27.0])
(define first (car (gradients (tensor-sum (* x x x)) (list x) :create-graph #t)))
(print (gradients (tensor-sum first) (list x)))   ; => ([6.0 12.0 18.0])
(define y (detach (* x 2)))
(print y)                                         ; => [2.0 4.0 6.0]
(backward (* x [1.0 10.0 100.0]) :gradient [1.0 1.0 1.0])
(print (tensor-grad x))                           ; => [1.0 10.0 100.0]
