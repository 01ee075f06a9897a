; grad, value-and-grad, jacobian, hessian, vjp and jvp, and how they nest.
(define (cube x) (* x x x))
(print ((grad cube) 2.0) ((grad cube) 2) ((grad cube) 1/2) ((grad cube) [2.0])) ; => 12.0 12.0 0.75 [12.0]
(print ((grad (grad cube)) 2.0) ((grad (grad (grad cube))) 2.0)) ; => 12.0 6.0
(print (number? ((grad cube) 2.0)) (tensor? ((grad cube) [2.0]))) ; => #t #t
(print ((grad (lambda (x) (tensor-sum (* x x)))) [1.0 2.0 3.0])) ; => [2.0 4.0 6.0]
; Several arguments.
(define (f x y) (* x x y))
(print ((grad f) 3.0 5.0) ((grad f :argnum 1) 3.0 5.0) ((grad f :argnum '(0 1)) 3.0 5.0)) ; => 30.0 9.0 (30.0 9.0)
(print ((grad f :argnum '(1 0)) 3.0 5.0))         ; => (9.0 30.0)
(print ((value-and-grad f) 3.0 5.0) ((value-and-grad f :argnum '(1)) 3.0 5.0)) ; => (45.0 30.0) (45.0 (9.0))
(print ((grad (grad f) :argnum 1) 3.0 5.0))       ; => 6.0
; What does not depend on the argument.
(print ((grad (lambda (x) 7)) 2.0) ((grad (lambda (x) (tensor-sum [1.0]))) [2.0 3.0])) ; => 0.0 [0.0 0.0]
(print ((grad f :argnum 1) 0.0 1.0) ((grad (lambda (x y) x) :argnum 1) [1.0] [1.0 2.0])) ; => 0.0 [0.0 0.0]
; Control flow in Lisp.
(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))
(print ((grad (lambda (x) (power x 5))) 2.0) ((grad (lambda (x) (if (> x 0) (* x x) 0))) -1.0)) ; => 80.0 0.0
(print ((grad (lambda (x) (exp (sin x)))) 0.0))   ; => 1.0
; A variable of an outer grad in an inner one is none of the inner's.
(print ((grad (lambda (x) (* x ((grad (lambda (y) (* x y))) x)))) 3.0)) ; => 6.0
(print ((grad (lambda (x) (* x ((grad (lambda (y) (+ x y))) 1.0)))) 1.0)) ; => 1.0
(print ((grad (lambda (w) ((grad (lambda (x) (* x w w))) 2.0))) 3.0)) ; => 6.0
; Nothing is left behind: neither gradients nor graphs.
(define p [1.0 2.0])
(define g ((grad (lambda (x) (tensor-sum (cube x)))) p))
(print g (requires-grad? g) (requires-grad? p) (tensor-grad p)) ; => [3.0 12.0] #f #f #f
; Where f depends on what requires gradients, so does the result.
(define w (requires-grad! [3.0]))
(define slope ((grad (lambda (x) (* w x x))) [2.0]))
(backward slope)
(print slope (requires-grad? slope) (tensor-grad w)) ; => [12.0] #t [4.0]
(print (no-grad (requires-grad? ((grad (lambda (x) (* w x x))) [2.0])))) ; => #f
(define both ((value-and-grad (lambda (x) (* w x x))) [2.0]))
(print (map requires-grad? both) (map requires-grad? (no-grad ((value-and-grad (lambda (x) (* w x x))) [2.0])))) ; => (#t #t) (#f #f)
(define v (requires-grad! [5.0]))
(print (tensor-grad v) ((grad (lambda (x) (* x x))) v)) ; => #f [10.0]
(print (requires-grad? ((grad (lambda (x) (* x x))) v))) ; => #t
; Matrices of derivatives.
(print ((jacobian (lambda (x) (* x x))) [1.0 2.0])) ; => [[2.0 0.0] [0.0 4.0]]
(print (tensor-shape ((jacobian (lambda (x) (@ x [1.0 2.0 3.0]))) (tensor-ones 2 3)))) ; => (2 2 3)
(print ((jacobian (lambda (x y) (list (* x y) (+ x y))) :argnum '(0 1)) 2.0 3.0)) ; => ((3.0 2.0) (1.0 1.0))
(print ((jacobian (lambda (x) [1.0 2.0])) [5.0]) ((jacobian (lambda (x) (tensor-zeros 0))) [1.0])) ; => [[0.0] [0.0]] []
(print ((jacobian (lambda (x) [x (* x x)])) 3.0)) ; => [1.0 6.0]
(print ((hessian cube) 2.0) ((hessian (lambda (x) (tensor-sum (cube x)))) [1.0 2.0])) ; => 12.0 [[6.0 0.0] [0.0 12.0]]
(print ((hessian f :argnum '(0 1)) 3.0 5.0))      ; => ((10.0 6.0) (6.0 0.0))
(print ((hessian (lambda (x) (tensor-sum x))) [1.0 2.0]) ((hessian (lambda (x) 1)) 1.0)) ; => [[0.0 0.0] [0.0 0.0]] 0.0
(print ((jacobian (hessian (lambda (x) (tensor-sum (cube x))))) [1.0])) ; => [[[6.0]]]
; Products with them.
(define pair (vjp (lambda (x y) (* x y)) [1.0 2.0] [3.0 4.0]))
(define pull (cadr pair))
(print (car pair) (pull [1.0 1.0]) (pull [1.0 0.0])) ; => [3.0 8.0] ([3.0 4.0] [1.0 2.0]) ([3.0 0.0] [1.0 0.0])
(print ((cadr (vjp sin 0.0)) 2) (car (vjp cube 2.0))) ; => 2.0 8.0
(print ((cadr (vjp (lambda (x) (list x (* x x))) [3.0])) (list [1.0] [10.0]))) ; => [61.0]
(print ((grad (lambda (t) ((cadr (vjp cube t)) t))) 2.0)) ; => 36.0
(print (jvp cube (list 2.0) (list 1.0)) (jvp f (list 3.0 5.0) (list 1.0 10.0))) ; => (8.0 12.0) (45.0 120.0)
(print (jvp (lambda (x) (@ [[1.0 2.0] [3.0 4.0]] x)) (list [1.0 1.0]) (list [1.0 0.0]))) ; => ([3.0 7.0] [1.0 3.0])
(print (jvp (lambda (x) 5) (list 1.0) (list 1.0))) ; => (5.0 0.0)
; Newton's method, and a gradient of a gradient's norm.
(define (newton f x n)
  (if (= n 0) x (newton f (- x (/ (f x) ((grad f) x))) (- n 1))))
(print (newton (lambda (x) (- (* x x) 2)) 1.0 6)) ; => 1.414213562373095
(define (penalty x) (tensor-sum (square ((grad (lambda (y) (tensor-sum (cube y)))) x))))
(print ((grad penalty) [1.0 2.0]))                ; => [36.0 288.0]
; Wrong uses.
(define (message thunk) (guard (e ((error-object? e) (error-object-message e))) (thunk)))
(print (message (lambda () ((grad f :argnum 2) 1.0 2.0)))) ; => grad: :argnum 2 is out of range for 2 arguments
(print (message (lambda () ((grad f :argnum -1) 1.0)))) ; => grad: expected an index or a list of indices for :argnum, got -1
(print (message (lambda () ((grad f) "x" 1.0))))  ; => grad: expected a number or a tensor, got "x"
(print (message (lambda () ((grad cube) [1 2])))) ; => grad: expected a tensor of floating-point numbers, got a tensor int64 (2)
(print (message (lambda () ((grad (lambda (x) 'no)) 1.0)))) ; => grad: expected a number or a tensor of one element from the procedure, got
(print (message (lambda () ((hessian cube) [1.0 2.0])))) ; => grad: expected a number or a tensor of one element from the procedure, got one of shape
(print (message (lambda () (jvp cube (list 1.0) '())))) ; => jvp: expected 1 directions, as many as arguments, got 0
(print (message (lambda () ((cadr (vjp cube [1.0 2.0])) [1.0])))) ; => gradients: :grad-outputs has shape (1), and the tensor that it weighs (2)
