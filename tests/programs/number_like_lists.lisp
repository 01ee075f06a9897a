;; A call is bound once for each pattern of its arguments.  Tensors that may
;; stand for numbers belong to the pattern, in lists too.

(define (sizes . xs) (tensor-shape (tensor-zeros xs)))
(define (message-of thunk)
  (guard (e (#t (error-object-message e))) (thunk)))

(dotimes (k 2)
  (print (sizes (tensor 2) (tensor 3))))
;; => (2 3)
;; => (2 3)
(print (message-of (lambda () (sizes (tensor 2.5) (tensor 3)))))
;; => tensor-zeros: expected a list of exact integers, got (2.5 3)
(print (sizes (tensor 1) (tensor 1) (tensor 2)))  ; => (1 1 2)

(define (total . xs) (tensor-stack xs))
(dotimes (k 2)
  (print (total (tensor 1.0) (tensor 2.0))))
;; => [1.0 2.0]
;; => [1.0 2.0]
(print (tensor-cat (list (tensor '(1.0)) (tensor '(2.0)))))  ; => [1.0 2.0]
(print (total (tensor 1) (tensor 2)))  ; => [1 2]

(define w (list (tensor '(1.0 2.0)) (tensor 5.0)))
(dotimes (k 2)
  (tensor-private--foreach-add! w (list (tensor '(1.0 1.0)) (tensor 1.0))))
(print w)  ; => ([3.0 4.0] 7.0)
