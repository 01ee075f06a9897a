; Tensors on cycles: freed by the collector, and counted.

(define (fact name) (cdr (assq name (tensor-memory))))
(define (ring n)
  (let ((v (make-vector 2 #f)))
    (vector-set! v 0 v)
    (vector-set! v 1 (tensor-ones n))
    v))
(define (repeat count thunk)
  (when (> count 0)
    (thunk)
    (repeat (- count 1) thunk)))

(define live (fact 'live-handles))
(repeat 2000 (lambda () (ring 3)))
(print (- (fact 'live-handles) live) (fact 'collected-handles)) ; => 0 2000

; A model that knows its parent, trained for a step.
(define-module (child)
  ((w (tensor-ones 2) :parameter) (parent #f))
  (forward (x) (* x w)))
(define-module (outside inner)
  ((inner inner))
  (forward (x) (inner x)))
(define (family)
  (let* ((inner (child)) (outer (outside inner)))
    (set-child-parent! inner (lambda () outer))
    (backward (tensor-sum (outer [1. 2.])))
    outer))
(define collected (fact 'collected-handles))
(repeat 10 family)
(print (- (fact 'live-handles) live) (> (fact 'collected-handles) collected)) ; => 0 #t

(define kept (ring 2))
(collect-garbage)
(print (vector-ref kept 1))                        ; => [1.0 1.0]
(set! kept #f)
(collect-garbage)
(print (- (fact 'live-handles) live))                ; => 0
