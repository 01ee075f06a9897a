; PyTorch's functions that are not operators, or take more arguments than the operator.
(define-syntax try
  (syntax-rules ()
    ((_ e) (print (guard (x (#t (error-object-message x))) e)))))
(define image [[[[1.0 2.0] [3.0 4.0]]]])
(define logits [[1.0 2.0 0.5]])

; names of arguments and of choices
(try (tensor-softmax :input [0.0 0.0] :axis 0))  ; => [0.5 0.5]
(try (tensor-sum [[1 2] [3 4]] :axis '(0) :keepdims #t))  ; => [[4 6]]
(try (tensor-mse-loss [1.0 2.0] [1.0 4.0] :reduction "sum"))  ; => 4.0
(try (tensor-mse-loss [1.0 2.0] [1.0 4.0] "none"))  ; => [0.0 4.0]
(try (tensor-mse-loss [1.0] [2.0] :reduction "all"))  ; => tensor-mse-loss: expected "none", "mean" or "sum" for reduction, got "all"
(try (tensor-mse-loss [1.0 2.0] [1.0 4.0] :weight [1.0 3.0]))  ; => 3.0
(try (tensor-mse-loss [1.0 2.0] [1.0 4.0] :weight [1.0]))  ; => tensor-mse-loss: expected a weight of the input's shape (2), got (1)
(try (tensor-cross-entropy logits [1]))  ; => 0.4644
(try (tensor-cross-entropy logits [1] :reduction "sum" :label-smoothing 0.1))  ; => 0.5477
(try (tensor-kl-div [0.0 -1.0] [0.5 0.5] :reduction "batchmean"))  ; => -0.0966
(try (tensor-kl-div [0.0] [1.0] :reduction "average"))  ; => tensor-kl-div: expected "none", "mean", "sum" or "batchmean" for reduction, got "average"

; fewer arguments than the operator's, and others
(try (tensor-batch-norm [[1.0] [3.0]] #f #f :training #t))  ; => [[-1.0] [1.0]]
(try (tensor-dropout [1.0 2.0] :training #f))  ; => [1.0 2.0]
(try (tensor-max-pool2d image 2 :return-indices #t))  ; => ([[[[4.0]]]] [[[[3]]]])
(try (tensor-adaptive-max-pool2d image 1 :return-indices #f))  ; => [[[[4.0]]]]
(try (tensor-adaptive-avg-pool2d image '(#f 1)))  ; => [[[[1.5] [3.5]]]]
(try (tensor-embedding :input [1] :weight [[1.0] [2.0]]))  ; => [[2.0]]
(try (tensor-norm [[3.0 4.0]]))  ; => 5.0
(try (tensor-norm [[3.0 4.0]] "fro" 0))  ; => [3.0 4.0]
(try (tensor-nonzero [0 5 6] :as-tuple #t))  ; => ([1 2])

; interpolate
(try (tensor-interpolate image 4))  ; => [[[[1.0 1.0 2.0 2.0] [1.0 1.0 2.0 2.0] [3.0 3.0 4.0 4.0] [3.0 3.0 4.0 4.0]]]]
(try (tensor-interpolate image :scale-factor '(1 1.5) :mode "bilinear" :align-corners #t))  ; => [[[[1.0 1.5 2.0] [3.0 3.5 4.0]]]]
(try (tensor-interpolate image))  ; => tensor-interpolate: expected either a size or a scale-factor
(try (tensor-interpolate image 4 :mode "linear"))  ; => tensor-interpolate: mode "linear" does not fit an input of 4 dimensions
(try (tensor-interpolate image 4 :align-corners #t))  ; => tensor-interpolate: mode "nearest" does not take align-corners
(try (tensor-interpolate image '(1 2 3)))  ; => tensor-interpolate: expected one number for size, or 2, got 3
(try (tensor-interpolate [1.0] 2))  ; => tensor-interpolate: expected input of 3 to 5 dimensions, got shape (1)
(try (tensor-grid-sample image (tensor-zeros 1 1 1 2) :mode "cubic"))  ; => tensor-grid-sample: expected "bilinear" or "nearest" or "bicubic" for mode, got "cubic"

; several results, one if that is all
(try (tensor-unique [3 1 3]))  ; => [1 3]
(try (tensor-unique [3 1 3] :return-counts #t))  ; => ([1 3] [1 2])
(try (tensor-unravel-index [5] '(2 3)))  ; => ([1] [2])
(try (tensor-layout [1]))  ; => strided

; gradients pass
(try ((grad (lambda (x) (tensor-sum (tensor-softsign x)))) [0.0 1.0]))  ; => [1.0 0.25]
(try ((grad (lambda (x) (tensor-interpolate (tensor-view x 1 1 1) 2))) [3.0]))  ; => grad: expected a number or a tensor of one element from the procedure, got one of shape

; methods
(print (tensor-dtype (tensor-half [1.0])) (tensor-type [1]) (tensor-nbytes [1 2]))  ; => float16 int64 16
(print (tensor-new-tensor [1.0] '(1 2)) (tensor-as-tensor '(1 2) :dtype 'float32))  ; => [1.0 2.0] [1.0 2.0]
(print (tensor-broadcast-shapes '(2 1) '(3)) (tensor-T [[1 2]]))  ; => (2 3) [[1] [2]]
(try (tensor-broadcast-shapes '(2) '(3)))  ; => tensor-broadcast-tensors: sizes 2 and 3 differ at dim 0; given tensors (float32 (2), float32 (3))
(print (tensor-apply! [1.0 2.0] square) (tensor-map! [1 2] [10 20] +))  ; => [1.0 4.0] [11 22]
(print ((vmap tensor-dot) [[1.0 2.0] [3.0 4.0]] [[1.0 1.0] [2.0 2.0]]))  ; => [3.0 14.0]
(print ((vmap (lambda (x y) (list x (+ x y))) :in-dims '(1 #f)) [[1 2]] 7))  ; => ([[1] [2]] [[8] [9]])
(try ((vmap +) [1 2] [1 2 3]))  ; => vmap: the numbers of examples differ:

; first values
(manual-seed 0)
(print (tensor-xavier-uniform! (tensor-empty 1 2)))  ; => [[-0.0106 0.7586]]
(print (tensor-constant! (requires-grad! (tensor-empty 2)) 7) (tensor-eye! (tensor-empty 2 2)))  ; => [7.0 7.0] [[1.0 0.0] [0.0 1.0]]
(print (tensor-dirac! (tensor-empty 1 1 3)) (calculate-gain "tanh"))  ; => [[[0.0 1.0 0.0]]] 1.6666666666666667
(define q (tensor-orthogonal! (tensor-empty 2 3)))
(print (tensor-allclose (@ q (tensor-t q)) (tensor-eye 2) :atol 1e-5))  ; => #t
(define far (tensor-trunc-normal! (tensor-empty 9) :a 5 :b 6))
(print (tensor-all (tensor-logical-and (tensor-ge far 5) (tensor-le far 6))))  ; => #t
(try (tensor-kaiming-normal! (tensor-empty 2 2) :mode "fan"))  ; => tensor-kaiming-normal!: expected "fan_in" or "fan_out", got "fan"
(try (tensor-xavier-normal! (tensor-empty 2)))  ; => tensor-xavier-normal!: expected 2 or more dimensions, got shape
