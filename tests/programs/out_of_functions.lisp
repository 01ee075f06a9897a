; :out of the functions that PyTorch defines in Python.
(define x (tensor '((1.0 0.0) (2.0 3.0))))
(define (out . sizes) (tensor-empty sizes))
(define-syntax into
  (syntax-rules () ((_ o result) (let ((found result)) (list (eq? found o) o)))))
(define o (out 2 2))
(print (into o (tensor-tensordot x x :out o)))  ; => (#t 14.0)
(define o2 (out 2 2))
(print (into o2 (tensor-tensordot x x 1 :out o2)))  ; => (#t [[1.0 0.0] [8.0 9.0]])
(define o3 (out 1))
(print (into o3 (tensor-norm x :dim '(0 1) :out o3)))  ; => (#t 3.7417)
(define o4 (out 1))
(print (into o4 (tensor-norm x :p "nuc" :out o4)))  ; => (#t 4.4721)
(define o5 (out 2))
(print (into o5 (tensor-norm x :p 1 :dim 0 :out o5)))  ; => (#t [3.0 3.0])
(define o6 (out 2 2))
(print (into o6 (tensor-normalize x :p 1 :out o6)))  ; => (#t [[1.0 0.0] [0.4 0.6]])
(define o7 (out 2 2))
(print (into o7 (tensor-normalize x :p 1 :dim '(0 1) :out o7)))  ; => (#t [[0.1667 0.0] [0.3333 0.5]])
(define o8 (tensor-empty '(0) :dtype 'int64))
(print (into o8 (tensor-nonzero x :as-tuple #f :out o8)))  ; => (#t [[0 0] [1 0] [1 1]])
(define factors (list (out 2 2) (tensor-empty '(2) :dtype 'int32)))
(print (map eq? (tensor-lu x :out factors) factors) (car factors) (cadr factors))
; => (#t #t) [[2.0 3.0] [0.5 -1.5]] [2 2]

(define (said thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (said (lambda () (tensor-nonzero x :as-tuple #t :out o8))))
; => tensor-nonzero: with :out the indices come as one tensor
(print (said (lambda () (tensor-lu x :out (list o)))))  ; => tensor-lu: expected a list of 2 for out, got 1
(print (said (lambda () (tensor-tensordot (requires-grad! (tensor-clone x)) x :out o))))
; => tensor-tensordot: operators with :out record no gradients, but an argument requires grad
