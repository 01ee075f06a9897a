; Where PyTorch's function does more than LibTorch's operator of that name, or chooses another overload.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
; Positions are int64, whatever the dtype of the indices.
(print (tensor-unravel-index (tensor 100 :dtype 'int8) '(2 200)) (tensor-unravel-index (tensor [3 200] :dtype 'uint8) '(2 3 256))) ; => (0 100) ([0 0] [0 0] [3 200])
(print (map tensor-dtype (tensor-unravel-index (tensor [3] :dtype 'int16) 7))) ; => (int64)
(print (message (tensor-unravel-index [3] '(-1 2))) (message (tensor-unravel-index [1.0] '(2)))) ; => tensor-unravel-index: expected sizes of 0 or more, got (-1 2) tensor-unravel-index: expected integer indices, got a tensor float32 (1)
(print (message (tensor-unravel-index [3] '(2 4611686018427387904 4)))) ; => tensor-unravel-index: the shape (2 4611686018427387904 4) has too many elements
; Without a padding, convolutions do not take it for a string: then a bias would be cut to whole numbers.
(define (refuses? thunk) (guard (c (#t #t)) (thunk) #f))
(print (map (lambda (convolve shape) (refuses? (lambda () (convolve (tensor-ones shape :dtype 'int64) (tensor-ones shape :dtype 'int64) [0.5])))) (list tensor-conv1d tensor-conv2d tensor-conv3d) '((1 1 1) (1 1 1 1) (1 1 1 1 1)))) ; => (#t #t #t)
(print (refuses? (lambda () (tensor-conv1d (tensor-ones 1 1 2) (tensor-ones 1 1 1) (tensor-complex [1.0] [2.0]))))) ; => #t
(print (tensor-conv1d (tensor-ones 1 1 2) (tensor-ones 1 1 1) [0.5]) (tensor-conv1d (tensor-ones 1 1 2) (tensor-ones 1 1 1) [0.5] :padding "same")) ; => [[[1.5 1.5]]] [[[1.5 1.5]]]
; A size that is left out is the input's; a negative one is a mistake.
(define images (tensor-reshape (tensor-arange 16.0) 1 1 4 4))
(print (tensor-adaptive-max-pool2d images '(#f 1) :return-indices #f) (tensor-adaptive-avg-pool2d images '(1 #f))) ; => [[[[3.0] [7.0] [11.0] [15.0]]]] [[[[6.0 7.0 8.0 9.0]]]]
(print (map (lambda (pool) (refuses? (lambda () (pool images '(-1 2) :return-indices #f)))) (list tensor-adaptive-max-pool2d tensor-adaptive-max-pool3d)) (refuses? (lambda () (tensor-adaptive-avg-pool2d images '(-1 #f))))) ; => (#t #t) #t
(define rows (tensor-reshape images 1 2 8))
(print (tensor-adaptive-max-pool1d rows 2 :return-indices #f) (refuses? (lambda () (tensor-adaptive-max-pool1d rows -2 :return-indices #f)))) ; => [[[3.0 7.0] [11.0 15.0]]] #t
(print (message (tensor-adaptive-avg-pool2d (tensor-ref images 0 0) '(#f 2)))) ; => tensor-adaptive-avg-pool2d: expected input of more than 2 dimensions, got shape (4 4)
; Losses at each place of an example.
(define scores (tensor-log-softmax (tensor-reshape (tensor-arange 24.0) 2 3 4) 1))
(define classes [[0 1 2 0] [2 2 1 1]])
(print (tensor-nll-loss scores classes) (tensor-nll-loss (tensor-unsqueeze scores -1) (tensor-unsqueeze classes -1) :reduction "sum")) ; => 3.5185 28.1478
(print (tensor-nll-loss (tensor-ref scores 0 :all 0) (tensor 1)) (tensor-shape (tensor-nll-loss scores classes :reduction "none"))) ; => 4.0185 (2 4)
(print (tensor-linear-cross-entropy (tensor-ones 2 3) (tensor-ones 5 4 3) (tensor-zeros 2 4 :dtype 'int64) :linear-bias (tensor-ones 5 4))) ; => 1.6094
(print (message (tensor-linear-cross-entropy (tensor-ones 3) (tensor-ones 5 4 3) classes))) ; => tensor-linear-cross-entropy: a linear-weight of rank 3 or more needs a batch of inputs, got shape (3)
; Sparse tensors are of their values' dtype, or of the one that is asked for.
(define (dtypes . xs) (map tensor-dtype xs))
(print (dtypes (tensor-sparse-csr-tensor [0 1] [0] [7]) (tensor-sparse-csc-tensor [0 1] [0] [7] '(1 1)) (tensor-sparse-csr-tensor [0 1] [0] [7] :dtype 'float64) (tensor-sparse-coo-tensor [[0]] [7] '(1) :dtype 'float16) (tensor-sparse-coo-tensor [[0]] [#t]))) ; => (int64 int64 float64 float16 bool)
; Dropout of channels in place; alpha dropout with its defaults.
(define ones (tensor-ones 3 4))
(print (begin (manual-seed 0) (eq? ones (tensor-dropout1d! ones))) (tensor-unique ones)) ; => #t [0.0 2.0]
(print (map (lambda (drop! shape) (let ((x (tensor-ones shape))) (and (eq? x (drop! x)) (eq? x (drop! x 0.5 #f))))) (list tensor-dropout2d! tensor-dropout3d! tensor-dropout3d!) '((1 2 2 2) (2 2 2 2) (1 2 2 2 2)))) ; => (#t #t #t)
(print (tensor-alpha-dropout! [1.0 2.0]) (tensor-feature-alpha-dropout! [[1.0 2.0]])) ; => [1.0 2.0] [[1.0 2.0]]
; What PyTorch's functions check.
(print (message (tensor-hardtanh [1.0] 2 1))) ; => tensor-hardtanh: expected min-val of at most the max-val 1.0, got 2.0; given self float32 (1), min-val 2
(print (refuses? (lambda () (tensor-hardtanh! [1.0] 2 1))) (tensor-hardtanh [3.0] 2 2)) ; => #t [2.0]
(define row [[1.0]])
(print (message (tensor-triplet-margin-loss row row row :margin 0.0))) ; => tensor-triplet-margin-loss: expected a margin greater than 0, got 0.0; given anchor float32 (1 1), positive float32 (1 1), negative float32 (1 1), margin 0.0
(print (map refuses? (list (lambda () (tensor-binary-cross-entropy [0.5 0.5] [1.0])) (lambda () (tensor-binary-cross-entropy-with-logits [[0.5]] [1.0])) (lambda () (tensor-margin-ranking-loss [1.0] [1.0] (tensor 1.0)))))) ; => (#t #t #t)
(print (map refuses? (list (lambda () (tensor-batch-norm (tensor-ones 1 3) #f #f :training #t)) (lambda () (tensor-instance-norm (tensor-ones 2 3 1))) (lambda () (tensor-affine-grid (tensor-ones 1 2 3) '(1 1 0 2))) (lambda () (tensor-interpolate images 2 :recompute-scale-factor #t))))) ; => (#t #t #t #t)
; Memory formats.
(define (strides x) (map (lambda (dim) (tensor-stride x dim)) (iota (tensor-rank x))))
(define block (tensor-zeros 1 2 3 3))
(print (strides (tensor-double block :memory-format 'channels-last)) (strides (tensor-to block :memory-format 'channels-last)) (strides (tensor-to block 'int32 :memory-format 'contiguous-format))) ; => (18 1 6 2) (18 1 6 2) (18 9 3 1)
(print (map (lambda (cast) (strides (cast block :memory-format 'channels-last))) (list tensor-float tensor-half tensor-bfloat16 tensor-int tensor-long tensor-short tensor-char tensor-byte tensor-bool tensor-cfloat tensor-cdouble))) ; => ((18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2) (18 1 6 2))
(print (eq? block (tensor-float block)) (eq? block (tensor-to block :memory-format #f)) (message (tensor-to block :memory-format 'tall))) ; => #t #t tensor-to: expected a memory format for memory-format, got tall
(print (eq? block (tensor-to block 'float32 #t)) (eq? block (tensor-to block 'float32 #f #t)) (message (tensor-to block 'float32 #f #t #t))) ; => #t #f tensor-to: expected a dtype, a device or a tensor, got #t
; :out says what the result is; a dtype beside it must agree.
(define into (tensor-empty 2))
(print (eq? into (tensor-zeros 2 :dtype 'float32 :device "cpu" :layout 'strided :out into)) (tensor-arange 3 :dtype 'int64 :out (tensor-empty 0 :dtype 'int64))) ; => #t [0 1 2]
(print (message (tensor-zeros 2 :out into :dtype 'float64)) (message (tensor-full '(2) 1.0 :layout 'sparse-coo :out into))) ; => tensor-zeros: out has dtype float32, not dtype float64 tensor-full: out has layout strided, not layout sparse-coo
(define outs (list (tensor-empty 2 3) (tensor-empty 3) (tensor-empty 3)))
(print (map eq? outs (tensor-native-batch-norm (tensor-ones 2 3) #f #f #f #f #t 0.1 1e-5 :out outs)) (cadr outs)) ; => (#t #t #t) [1.0 1.0 1.0]
