;; Wrong uses of layers: of their constructors, and inputs that do not fit.
(define x3 (tensor-ones 2 3))
(define-syntax shows
  (syntax-rules ()
    ((_ expression)
     (print (guard (e (#t (apply string (error-object-message e)
                                 (map (lambda (x) (string " " x))
                                      (error-object-irritants e)))))
              expression)))))

; Inputs.
(shows ((linear 784 10) (tensor-ones 32 100)))  ; => tensor-linear: input (32 100) has 100 features, weight (10 784) takes 784; given input float32 (32 100), weight float32 (10 784), bias float32 (10)
(shows ((sequential (linear 4 3) (relu) (linear 4 2)) (tensor-ones 2 4)))  ; => tensor-linear: input (2 3) has 3 features, weight (2 4) takes 4; given input float32 (2 3), weight float32 (2 4), bias float32 (2)
(shows ((conv2d 3 4 3) (tensor-ones 2 1 8 8)))  ; => tensor-conv2d: input (2 1 8 8) has 1 channels, weight (4 3 3 3) with groups 1 takes 3; given input float32 (2 1 8 8), weight float32 (4 3 3 3), bias float32 (4)
(shows ((conv2d 3 4 3) (tensor-ones 3 8)))  ; => tensor-conv2d: expected an input of rank 3, or 4 with batches, got shape (3 8); given input float32 (3 8), weight float32 (4 3 3 3), bias float32 (4)
(shows ((conv1d 3 4 3) (tensor-ones 1 3 2)))  ; => tensor-conv1d: the kernel (3) is larger than the padded input (2); given input float32 (1 3 2), weight float32 (4 3 3), bias float32 (4)
(shows ((conv2d 3 4 3 :padding 4 :padding-mode "reflect") (tensor-ones 1 3 4 4)))  ; => tensor-pad: padding (4 4) is too large for dim 3 of an input (1 3 4 4)
(shows ((conv-transpose2d 3 4 3) (tensor-ones 1 2 4 4)))  ; => tensor-conv-transpose2d: input (1 2 4 4) has 2 channels, weight (3 4 3 3) takes 3; given input float32 (1 2 4 4), weight float32 (3 4 3 3), bias float32 (4)
(shows ((conv-transpose2d 3 4 3 :stride 2) (tensor-ones 1 3 4 4) :output-size '(20 20)))  ; => conv-transpose: expected a size from 9 to 10 in :output-size, got 20
(shows ((layer-norm 4) x3))  ; => tensor-layer-norm: normalized-shape (4) differs from the last sizes of input (2 3); given input float32 (2 3), normalized-shape (4), weight float32 (4), bias float32 (4)
(shows ((rms-norm 4) x3))  ; => tensor-rms-norm: normalized-shape (4) differs from the last sizes of input (2 3)
(shows ((group-norm 2 4) (tensor-ones 1 6 2)))  ; => group-norm: expected [n, 4, ...], got (1 6 2)
(shows ((batch-norm2d 4) x3))  ; => batch-norm2d: expected an input of 4 dimensions, got shape (2 3)
(shows ((batch-norm2d 4) (tensor-ones 2 3 2 2)))  ; => batch-norm2d: expected 4 channels, got 3 in shape (2 3 2 2)
(shows ((batch-norm1d 3) (tensor-ones 1 3)))  ; => batch-norm: expected more than one value per channel when training, got shape (1 3)
(shows ((instance-norm1d 4) (tensor-ones 2 3 5)))  ; => instance-norm1d: expected 4 channels, got 3 in shape (2 3 5)
(shows ((embedding 5 2) [1 7]))  ; => tensor-embedding: index 7 is out of range for a weight of 5 rows; given weight float32 (5 2), indices int64 (2)
(shows ((embedding 5 2) [1.0 2.0]))  ; => tensor-embedding: expected dtype int64 or int32 for indices, got float32; given weight float32 (5 2), indices float32 (2)
(shows ((embedding-bag 5 2) [1 2]))  ; => tensor-embedding-bag: expected offsets for an input of shape (2)
(shows ((lstm 3 4) (tensor-ones 5 2 7)))  ; => lstm: expected [..., 3], got (5 2 7)
(shows ((gru 3 4) (tensor-ones 5 2 3) :hx (tensor-ones 1 3 4)))  ; => gru: expected :hx of shape (1 2 4), got (1 3 4)
(shows ((gru 3 4) (tensor-ones 5 2 3) :lengths '(3 9)))  ; => gru: expected :lengths from 1 to 5, got [3 9]
(shows ((gru 3 4) (tensor-ones 5 2 3) :lengths '(3)))  ; => gru: expected :lengths of 2 examples, got shape (1)
(shows ((gru 3 4) (tensor-ones 5 3) :lengths '(3)))  ; => gru: :lengths needs an input with a dimension of examples, got shape (5 3)
(shows ((lstm-cell 3 4) (tensor-ones 2 3) :hx (tensor-ones 2 4)))  ; => lstm-cell: expected a list of two tensors for hx, got a tensor float32 (2 4)
(shows ((multi-head-attention 6 2) (tensor-ones 2 3 5) (tensor-ones 2 3 5) (tensor-ones 2 3 5)))  ; => tensor-linear: input (2 3 5) has 5 features, weight (6 6) takes 6; given input float32 (2 3 5), weight float32 (6 6), bias float32 (6)
(shows ((multi-head-attention 6 2) (tensor-ones 2 3 6) (tensor-ones 2 3 6) (tensor-ones 2 3 6) :attn-mask (tensor-ones 4 4)))  ; => multi-head-attention: expected :attn-mask of shape (2 2) or (6 2 2), got (4 4)
(shows ((grouped-query-attention 6 2) (tensor-ones 2 3 5)))  ; => tensor-linear: input (2 3 5) has 5 features, weight (6 6) takes 6
(shows ((transformer-encoder-layer 6 2) (tensor-ones 2 3 5)))  ; => tensor-linear: input (2 3 5) has 5 features, weight (18 6) takes 6; given input float32 (2 3 5), weight float32 (18 6), bias float32 (18)
(shows ((reflection-pad2d 3) (tensor-ones 1 2 2)))  ; => tensor-pad: padding (3 3) is too large for dim 2 of an input (1 2 2)
(shows ((upsample :scale-factor 2 :mode "bilinear") (tensor-ones 1 2 2)))  ; => tensor-interpolate: mode "bilinear" does not fit an input of 3 dimensions
(shows ((unflatten 1 '(2 2)) (tensor-ones 1 3)))  ; => tensor-unflatten: sizes (2 2) do not multiply up to 3, the size of dim 1; given self float32 (1 3), dim 1, sizes (2 2)
(shows ((linear 2 3) 7))  ; => tensor-linear: expected tensors of rank 1 or more, got ranks 0 and 2; given input 7, weight float32 (3 2), bias float32 (3)
(shows ((linear 2 3) "a"))  ; => tensor-linear: expected a tensor for input, got "a"
(shows ((linear 2 3) (tensor-ones 2 2 :dtype 'float64)))  ; => tensor-linear: dtypes differ: float64 and float32; given input float64 (2 2), weight float32 (3 2), bias float32 (3)
(shows ((linear 2 3) [1 2]))  ; => tensor-linear: dtypes differ: int64 and float32; given input int64 (2), weight float32 (3 2), bias float32 (3)

; Constructors.
(shows (linear 0 3))  ; => linear: expected a positive integer for in-features, got 0
(shows (linear 2.5 3))  ; => linear: expected a positive integer for in-features, got 2.5
(shows (conv2d 3 4 3 :groups 2))  ; => conv2d: groups must divide in-channels, got 2 for 3
(shows (conv2d 4 3 3 :groups 2))  ; => conv2d: groups must divide out-channels, got 2 for 3
(shows (conv2d 3 4 -3))  ; => conv2d: expected a positive integer, or a list of 2, for kernel-size, got -3
(shows (conv2d 3 4 '(3 3 3)))  ; => conv2d: expected a positive integer, or a list of 2, for kernel-size, got (3 3 3)
(shows (conv2d 3 4 3 :padding -1))  ; => conv2d: expected a non-negative integer, or a list of 2, for padding, got -1
(shows (conv2d 3 4 3 :padding "full"))  ; => conv2d: expected "same" or "valid" for padding, got "full"
(shows (conv2d 3 4 3 :padding 'same :stride 2))  ; => conv2d: padding "same" needs a stride of 1, got (2 2)
(shows (conv2d 3 4 3 :padding-mode "mirror"))  ; => conv2d: expected "zeros", "reflect", "replicate" or "circular" for padding-mode, got "mirror"
(shows (max-pool2d 0))  ; => max-pool2d: expected a positive integer, or a list of 2, for kernel-size, got 0
(shows (dropout 1.5))  ; => dropout: expected a number from 0 to 1 for p, got 1.5
(shows (dropout 0.1 0.2))  ; => dropout: expected one argument, p, got 2
(shows (softmax (tensor-ones 2)))  ; => softmax: expected an integer for dim, got a tensor float32 (2)
(shows (leaky-relu (tensor-ones 2)))  ; => leaky-relu: expected a number for negative-slope, got a tensor float32 (2)
(shows (relu (tensor-ones 2)))  ; => relu: expected 0 arguments, got 1
(shows (group-norm 4 6))  ; => group-norm: num-groups must divide num-channels, got 4 for 6
(shows (layer-norm -3))  ; => layer-norm: expected a positive integer for normalized-shape, got -3
(shows (embedding 5 2 :padding-idx 5))  ; => embedding: expected a row of 5 for padding-idx, got 5
(shows (embedding-bag 5 2 :mode "median"))  ; => embedding-bag: expected "sum", "mean" or "max" for mode, got "median"
(shows (multi-head-attention 6 4))  ; => multi-head-attention: num-heads must divide embed-dim, got 4 for 6
(shows (grouped-query-attention 8 4 :num-kv-heads 3))  ; => grouped-query-attention: num-kv-heads must divide num-heads, got 3 for 4
(shows (grouped-query-attention 9 4))  ; => grouped-query-attention: num-heads must divide width, got 4 for 9
(shows (transformer-encoder-layer 6 2 :activation "tanh"))  ; => transformer-encoder-layer: expected "relu" or "gelu" for activation, got "tanh"
(shows (transformer-encoder 3 2))  ; => transformer-encoder: expected a module for the layer, got 3
(shows (lstm 3 4 :proj-size 4))  ; => lstm: expected an integer from 0, less than 4, for proj-size, got 4
(shows (rnn 3 4 :nonlinearity "gelu"))  ; => rnn: expected "tanh" or "relu" for nonlinearity, got "gelu"
(shows (sequential (linear 2 3) 5))  ; => sequential: expected a layer, got 5
(shows (residual 5))  ; => residual: expected a layer, got 5
(shows (upsample))  ; => upsample: expected :size or :scale-factor
(shows (hardtanh :min-val 2 :max-val 1))  ; => hardtanh: expected :max-val above 2, got 1
(shows (linear 2 3 :biass #f))  ; => linear: unknown keyword :biass
(shows (linear 2))  ; => linear: expected 2 arguments, got 1
(shows (gru 2 3 :dropout 2))  ; => gru: expected a number from 0 to 1 for dropout, got 2
(shows (cosine-similarity 1))  ; => cosine-similarity: expected 0 arguments, got 1
