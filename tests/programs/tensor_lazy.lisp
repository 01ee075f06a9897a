; Zeros without memory (the gradient of sgn), conjugates and negatives: whatever reads their memory sees their elements.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(define (zeros . options) (apply tensor-private--efficientzerotensor '(2) options))
(define places (zeros :dtype 'int64))
(define negative (tensor-private--neg-view [1.0 2.0]))
(define conjugate (tensor-conj (tensor-complex [1.0 2.0] [3.0 4.0])))
(print (tensor-private--is-zerotensor (zeros)) (tensor-is-neg negative) (tensor-is-conj conjugate)) ; => #t #t #t
(print (zeros) (tensor->list (zeros)) (tensor-item (tensor-ref (zeros) 0)) (equal? (zeros) [0.0 0.0])) ; => [0.0 0.0] (0.0 0.0) 0.0 #t
(print negative (tensor->list negative) (tensor-item (tensor-ref negative 0)) (equal? negative [-1.0 -2.0])) ; => [-1.0 -2.0] (-1.0 -2.0) -1.0 #t
; In files.
(define folder "tensor_lazy_")
(define (there-and-back save load x)
  (let ((path (string-append folder "file")))
    (save path x)
    (let ((found (load path))) (delete-file path) found)))
(print (there-and-back save-npy load-npy (zeros)) (there-and-back save-npy load-npy negative)) ; => [0.0 0.0] [-1.0 -2.0]
(print (tensor-imag (there-and-back save-npy load-npy conjugate))) ; => [-3.0 -4.0]
(define all (list (cons "z" (zeros)) (cons "n" negative) (cons "c" conjugate)))
(define (parts table) (map (lambda (name) (tensor-view-as-real (tensor-resolve-conj (tensor-to (hash-ref table name) 'complex64)))) '("z" "n" "c")))
(print (parts (there-and-back save-tensors load-tensors all))) ; => ([[0.0 0.0] [0.0 0.0]] [[-1.0 0.0] [-2.0 0.0]] [[1.0 -3.0] [2.0 -4.0]])
(print (parts (there-and-back save-npz load-npz all))) ; => ([[0.0 0.0] [0.0 0.0]] [[-1.0 0.0] [-2.0 0.0]] [[1.0 -3.0] [2.0 -4.0]])
; As indices, masks and targets.
(define x [5.0 6.0 7.0])
(print (tensor-ref x places) (tensor-ref [[1 2] [3 4]] :all (zeros :dtype 'bool)) (tensor-index x (list places))) ; => [5.0 5.0] [[] []] [5.0 5.0]
(print (tensor-ref x (tensor-private--neg-view [1 2])) (tensor-index-put x (list (tensor-private--neg-view [1 2])) (tensor 0.0))) ; => [7.0 6.0] [5.0 0.0 0.0]
(print (tensor-set! (tensor-copy x) places 0) (tensor-tensor-split x places)) ; => [0.0 6.0 7.0] ([] [] [5.0 6.0 7.0])
(print (tensor-ctc-loss (tensor-zeros 3 2 4) (tensor-ones 2 2 :dtype 'int64) [3 3] places)) ; => 0.0
(print (tensor-max-pool1d (tensor-private--efficientzerotensor '(1 4)) 2) (tensor-alpha-dropout (zeros) 0.5 #f)) ; => [[0.0 0.0]] [0.0 0.0]
; What cannot be changed says so; the program's own gradients can.
(print (message (tensor-add! (zeros) 1))) ; => tensor-add!: zeros that have no memory cannot be changed; given self float32 (2), other 1
(print (message (tensor-set! (zeros) 0 1))) ; => tensor-set!: zeros that have no memory cannot be changed; given a tensor float32 (2)
(print (message (tensor-resize! (zeros) '(4)))) ; => tensor-resize!: zeros that have no memory cannot be resized; given self float32 (2), size (4)
(define w (requires-grad! [1.0 -2.0]))
(backward (tensor-sum (tensor-sgn w)))
(print (tensor-mul! (tensor-add! (tensor-grad w) 1) 3) (tensor-grad w)) ; => [3.0 3.0] [3.0 3.0]
(print (map (lambda (g) (tensor-add! g 1)) (gradients (tensor-sum (tensor-sgn w)) (list w)))) ; => ([1.0 1.0])
