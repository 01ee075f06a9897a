;; Operators whose arguments the compiler cannot know: tensors, which take the typed way, and others.

(define (twice-viewed x n m)
  (tensor-shape (tensor-view x n m)))
(define (attempt thunk)
  (guard (e (#t (error-object-message e))) (thunk)))

(for-each
 (lambda (sizes)
   (print (attempt (lambda () (twice-viewed (tensor-arange 6) (car sizes) (cdr sizes))))))
 '((2 . 3) (-1 . 2) (4 . 2) (2.5 . 2)))
; => (2 3)
; => (3 2)
; => tensor-view: 6 elements do not fit shape (4 2); given self int64 (6), size (4 2)
; => tensor-view: expected 2 arguments, got 3

(define (sum-of a b) (tensor-add a b))
(for-each
 (lambda (pair) (print (attempt (lambda () (sum-of (car pair) (cadr pair))))))
 (list (list [1 2] [3 4]) (list [1 2] 3) (list 1 [2 3]) (list [1 2] [1 2 3]) (list [1] "x")
       (list [1 2] (tensor 2.5)) (list '(1) [2])))
; => [4 6]
; => [4 5]
; => [3 4]
; => tensor-add: shapes (2) and (3) do not broadcast
; => tensor-add: expected a tensor for other, got "x"
; => [3.5 4.5]
; => tensor-add: expected a tensor for self, got (1)

(define (reduced x dim keep) (tensor-sum x dim :keepdim keep))
(print (reduced [[1 2] [3 4]] 0 #t) (reduced [[1 2] [3 4]] '(0 1) #f))
; => [[4 6]] 10
(define (softmaxed x dim) (tensor-softmax x :dim dim))
(print (attempt (lambda () (softmaxed [0.0 0.0] 0))))
(print (attempt (lambda () (softmaxed [0.0 0.0] 2))))
(print (attempt (lambda () (softmaxed [0.0 0.0] [0.0]))))
; => [0.5 0.5]
; => tensor-softmax: dim 2 is out of range for a tensor of rank 1; given self float32 (2), dim 2
; => tensor-softmax: expected an exact integer for dim, got a tensor float32 (1)

;; The same tensor comes back where nothing is to be done.
(define (dense x) (tensor-contiguous x))
(define (same? x) (eq? x (dense x)))
(print (same? (car (list [1 2]))))
; => #t
;; Views through either way share elements, and gradients pass them.
(define (row x k) (tensor-select x 0 k))
(define base (tensor-zeros 2 2))
(tensor-fill! (row base 1) 7)
(print base)
; => [[0.0 0.0] [7.0 7.0]]
(define w (tensor '(1.0 2.0 3.0 4.0) :requires-grad #t))
(define (squares x) (tensor-sum (tensor-square (tensor-view x 2 2))))
(print ((grad squares) w))
; => [2.0 4.0 6.0 8.0]
