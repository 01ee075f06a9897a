; Gradients without elements add nothing to a norm of any order.
(define (parameter . gradient)
  (let ((x (requires-grad! (tensor-zeros (length gradient)))))
    (backward (tensor-sum (* x (tensor gradient :dtype 'float32))))
    x))
(define none (parameter))
(define some (parameter 3.0 -4.0))
(for-each
 (lambda (p) (print p (grad-norm (list none some) :norm-type p)
                    (grad-norm (list none) :norm-type p)))
 '(2.0 1.0 +inf.0 -inf.0 3.0))
; => 2.0 5.0 0.0
; => 1.0 7.0 0.0
; => +inf.0 4.0 0.0
; => -inf.0 3.0 0.0
; => 3.0 4.4979 0.0
(print (clip-grad-norm! (list none some) 2.0 :norm-type +inf.0) (tensor-grad some))  ; => 4.0 [1.5 -2.0]
(print (clip-grad-norm! (list none) 2.0 :norm-type +inf.0))  ; => 0.0
(clip-grad-value! (list none some) 1.0)
(print (tensor-grad some) (tensor-grad none))  ; => [1.0 -1.0] []
