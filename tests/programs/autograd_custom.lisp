; Gradients that the program gives itself, called back by LibTorch.
(define w (requires-grad! [1.0 2.0]))
(define (gradient-of f) (zero-grad! w) (backward (tensor-sum (f w))) (tensor-grad w))
(define twenty (custom-gradient square (lambda (g x y) (* g x 20))))
(print (twenty 3.0) (twenty [3.0]) (requires-grad? (twenty [3.0]))) ; => 9.0 [9.0] #f
(print (gradient-of twenty) (requires-grad? (twenty w))) ; => [20.0 40.0] #t
(print (no-grad (requires-grad? (twenty w))))     ; => #f
(print ((grad twenty) 3.0) ((grad (grad twenty)) 3.0)) ; => 60.0 20.0
; The result is at hand, several arguments, and such as are no tensors.
(define my-exp (custom-gradient exp (lambda (g x y) (* g y))))
(print (gradient-of my-exp) ((grad (grad (grad my-exp))) 0.0)) ; => [2.7183 7.3891] 1.0
(define scaled (custom-gradient (lambda (x k y) (* x k y)) (lambda (g x k y result) (list (* g k y) #f #f))))
(print (gradient-of (lambda (x) (scaled x 10 [1.0 2.0])))) ; => [10.0 20.0]
; An argument that comes back as it is, and one without a gradient.
(define reversed (custom-gradient identity (lambda (g x y) (- g))))
(print (gradient-of reversed) (gradient-of (lambda (x) (reversed (* x x))))) ; => [-1.0 -1.0] [-2.0 -4.0]
(define stopped (custom-gradient identity (lambda (g x y) #f)))
(print (gradient-of (lambda (x) (+ x (stopped x))))) ; => [1.0 1.0]
; Lists of results; one that the loss does not use has a gradient of zeros.
(define split (custom-gradient (lambda (x) (list (* x 2) (* x 3) (tensor-argmax x 0)))
                               (lambda (gs x ys) (print gs) (+ (* 2 (car gs)) (* 3 (cadr gs))))))
(print (split w) (map requires-grad? (split w)))  ; => ([2.0 4.0] [3.0 6.0] 1) (#t #t #f)
(print (gradient-of (lambda (x) (cadr (split x))))) ; => ([0.0 0.0] [1.0 1.0] 0)
; => [3.0 3.0]
; What backward computes can be differentiated, its use of inputs and results.
(define (norm x) (tensor-sum (square (car (gradients (tensor-sum (my-exp x)) (list x) :create-graph #t)))))
(print (gradient-of norm))                        ; => [14.7781 109.1963]
(print ((hessian (lambda (x) (tensor-sum (twenty x)))) [1.0 2.0])) ; => [[20.0 0.0] [0.0 20.0]]
; Gradients within gradients.
(define nested (custom-gradient square (lambda (g x y) (* g ((grad (lambda (z) (tensor-sum (* z z z)))) x)))))
(print (gradient-of nested))                      ; => [3.0 12.0]
; Errors, escapes and deep recursion go through LibTorch.
(define failing (custom-gradient square (lambda (g x y) (error "no slope at" (tensor-shape x)))))
(print (guard (e (#t (error-object-message e) (error-object-irritants e))) (gradient-of failing))) ; => ((2))
(print (guard (e (#t (error-object-message e))) (gradients (tensor-sum (failing w)) (list w)))) ; => no slope at
(print (call/cc (lambda (k) (gradient-of (custom-gradient square (lambda (g x y) (k 'escaped)))) 'not))) ; => escaped
(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
(print (gradient-of (custom-gradient identity (lambda (g x y) (* g (deep 10000)))))) ; => [10000.0 10000.0]
(print (with-exception-handler (lambda (e) 10) (lambda () (gradient-of (custom-gradient identity (lambda (g x y) (* g (raise-continuable 'how-much)))))))) ; => [10.0 10.0]
(define again (custom-gradient identity (lambda (g x y) (with-grad (gradient-of again)) g)))
(print (guard (e (#t (error-object-message e))) (gradient-of again))) ; => backward: gradients are nested too deeply
; The mode is that of the question, and comes back.
(define modes (custom-gradient identity (lambda (g x y) (print (grad-enabled?)) (no-grad (error "out")))))
(print (guard (e (#t (grad-enabled?))) (gradient-of modes))) ; => #f
; => #t
; Gradients that do not fit.
(define (wrong . answer) (guard (e (#t (error-object-message e))) (gradient-of (custom-gradient square (lambda (g x y) (car answer))))))
(print (wrong [1.0]))                             ; => custom-gradient: the gradient in argument 0 has shape (1), and the argument (2)
(print (wrong (tensor '(1 2) :dtype 'float64)))   ; => custom-gradient: the gradient in argument 0 is of float64, and the argument of float32
(print (wrong 5))                                 ; => custom-gradient: expected a tensor or #f for the gradient in argument 0, got
(print (wrong (list w w)))                        ; => custom-gradient: expected 1 gradient from the backward procedure, got 2
(define (wrong-of-two answer) (guard (e (#t (error-object-message e))) (gradient-of (lambda (x) ((custom-gradient * (lambda (g x k y) answer)) x 2)))))
(print (wrong-of-two w))                          ; => custom-gradient: expected a list of 2 gradients from the backward procedure, got
(print (wrong-of-two (list w w)))                 ; => custom-gradient: argument 1 is not a tensor: expected #f for its gradient, got
(print (wrong-of-two (list w #f)))                ; => [1.0 2.0]
(print (guard (e (#t (error-object-message e))) ((custom-gradient (lambda (x) 5) list) w))) ; => custom-gradient: expected a tensor or a list of tensors from the forward procedure, got
; A graph is taken once, unless it is kept; what it needs must not change.
(define kept (twenty w))
(backward kept :gradient [1.0 1.0] :retain-graph #t)
(backward kept :gradient [1.0 1.0])
(print (tensor-grad w) (guard (e (#t (error-object-message e))) (backward kept :gradient [1.0 1.0]))) ; => [41.0 82.0] backward: the gradients of this computation have been computed before
(define changed (* w 1))
(define result (twenty changed))
(tensor-add! changed 1)
(print (guard (e (#t (error-object-message e))) (backward result :gradient [1.0 1.0]))) ; => backward: the gradient of custom-gradient needs a tensor of shape (2) that tensor-add! has changed since
; Graphs that nobody asks are dropped, and their procedures with them: nothing is left at the end.
(define dropped (let ((unused [5.0])) ((custom-gradient square (lambda (g x y) unused)) w)))
(set! dropped #f)
(define (train steps)
  (dotimes (i steps)
    (let ((scale (+ i 1.0)))
      (gradient-of (custom-gradient square (lambda (g x y) (* g scale)))))))
(define before (cdr (assq 'live-handles (tensor-memory))))
(train 100)
(print (- (cdr (assq 'live-handles (tensor-memory))) before)) ; => 0
; A chain of many uses no stack.
(define (chain n x) (if (= n 0) x (chain (- n 1) (reversed x))))
(print (gradient-of (lambda (x) (chain 10000 x)))) ; => [1.0 1.0]
