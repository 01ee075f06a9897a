;; What products, matrices, layers, losses, attention and transforms say to wrong calls.

(import "modules/wrong.lisp")

(define a (tensor-ones 2 3))                   ; [2, 3] float32
(define b (tensor-ones 4))                     ; [4] float32
(define i [[1 2 3] [4 5 6]])                   ; [2, 3] int64
(define square (tensor-zeros 2 2))             ; [2, 2] float32, singular
(define batch (tensor-ones 5 2 3))             ; [5, 2, 3] float32
(define image (tensor-ones 1 3 8 8))           ; [batch, channels, height, width]
(define scalar (tensor 1.0))                   ; [] float32

;; Products.
(wrong tensor-matmul a a)
; => tensor-matmul: inner sizes differ: (2 3) times (2 3)
(wrong tensor-matmul a b)
; => tensor-matmul: inner sizes differ: (2 3) times (4)
(wrong tensor-matmul a i)
; => tensor-matmul: inner sizes differ: (2 3) times (2 3)
(wrong tensor-matmul a (tensor-to (tensor-t i) 'float64))
; => tensor-matmul: dtypes differ: float32 and float64; given self float32 (2 3), other float64 (3 2)
(wrong tensor-matmul scalar a)
; => tensor-matmul: expected tensors of rank 1 or more, got ranks 0 and 2; given self float32 (), other float32 (2 3)
(wrong tensor-matmul a)
; => tensor-matmul: expected 2 arguments, got 1
(wrong tensor-matmul a 2)
; => tensor-matmul: expected tensors of rank 1 or more, got ranks 2 and 0; given self float32 (2 3), other 2
(wrong tensor-mm a batch)
; => tensor-mm: expected a matrix for mat2, got a tensor of rank 3; given self float32 (2 3), mat2 float32 (5 2 3)
(wrong tensor-mm a b)
; => tensor-mm: expected a matrix for mat2, got a tensor of rank 1; given self float32 (2 3), mat2 float32 (4)
(wrong tensor-bmm batch (tensor-ones 4 3 2))
; => tensor-bmm: batch sizes differ: (5 2 3) times (4 3 2)
(wrong tensor-bmm a a)
; => tensor-bmm: expected two tensors of rank 3 to multiply; given self float32 (2 3), mat2 float32 (2 3)
(wrong tensor-mv a b)
; => tensor-mv: inner sizes differ: (2 3) times (4)
(wrong tensor-dot a a)
; => tensor-dot: expected two tensors of rank 1, got ranks 2 and 2; given self float32 (2 3), tensor float32 (2 3)
(wrong tensor-dot b [1.0 2.0])
; => tensor-dot: inner sizes differ: (4) times (2)
(wrong tensor-dot b [1 2 3 4])
; => tensor-dot: dtypes differ: float32 and int64; given self float32 (4), tensor int64 (4)
(wrong tensor-outer a b)
; => tensor-outer: expected a tensor of rank 1 for self, got one of rank 2; given self float32 (2 3), vec2 float32 (4)
(wrong tensor-addmm b a a)
; => tensor-addmm: inner sizes differ: (2 3) times (2 3); given self float32 (4), mat1 float32 (2 3), mat2 float32 (2 3)
(wrong tensor-addmm b a (tensor-ones 3 5))
; => tensor-addmm: shape (4) does not expand to (2 5); given self float32 (4), mat1 float32 (2 3), mat2 float32 (3 5)
(wrong tensor-addmv b a [1.0 2.0 3.0])
; => tensor-addmv: self has 4 elements, the product has 2; given self float32 (4), mat float32 (2 3), vec float32 (3)
(wrong tensor-baddbmm a batch batch)
; => tensor-baddbmm: inner sizes differ: (5 2 3) times (5 2 3); given self float32 (2 3), batch1 float32 (5 2 3), batch2 float32 (5 2 3)
(wrong tensor-inner a b)
; => tensor-inner: the last dimension must match on both input tensors but got shapes (2 3) and (4)
(wrong tensor-tensordot a a '(1) '(0))
; => tensor-tensordot: dim 1 of self has size 3, dim 0 of other has size 2; given self float32 (2 3), other float32 (2 3), dims-self (1), dims-other (0)
(wrong tensor-einsum "ij,jk->ik" (list a a))
; => tensor-einsum: subscript j has size 2 for operand 1 which does not broadcast with previously seen size 3; given equation "ij,jk->ik", tensors (float32 (2 3), float32 (2 3))
(wrong tensor-einsum "ij,jk" (list a))
; => tensor-einsum: fewer operands were provided than specified in the equation; given equation "ij,jk", tensors (float32 (2 3))
(wrong tensor-einsum "i!" (list b))
; => tensor-einsum: invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]; given equation "i!", tensors (float32 (4))
(wrong tensor-kron a "x")
; => tensor-kron: expected a tensor for other, got "x"
(wrong tensor-cross a b)
; => tensor-cross: inputs must have the same number of dimensions; given self float32 (2 3), other float32 (4)
(wrong tensor-cross b b)
; => tensor-cross: no dimension of size 3 in input; given self float32 (4), other float32 (4)
(wrong tensor-cdist a (tensor-ones 2 4))
; => tensor-cdist: X1 and X2 must have the same number of columns; X1: 3 X2: 4; given x1 float32 (2 3), x2 float32 (2 4)
(wrong tensor-linear a (tensor-ones 5 4))
; => tensor-linear: input (2 3) has 3 features, weight (5 4) takes 4
(wrong tensor-linear a (tensor-ones 5 3) (tensor-ones 4))
; => tensor-linear: shape (4) does not expand to (2 5); given input float32 (2 3), weight float32 (5 3), bias float32 (4)
(wrong tensor-bilinear a a (tensor-ones 1 4 4))
; => tensor-bilinear: input1 size does not match weight size: got 3 but expected 4; given input1 float32 (2 3), input2 float32 (2 3), weight float32 (1 4 4)

;; Matrices.
(wrong tensor-linalg-inv a)
; => tensor-linalg-inv: expected a square matrix, got one of 2 by 3; given A float32 (2 3)
(wrong tensor-linalg-inv square)
; => tensor-linalg-inv: the matrix is singular; given A float32 (2 2)
(wrong tensor-linalg-inv [[1 2] [3 4]])
; => tensor-linalg-inv: expected a floating-point or complex dtype, got int64; given A int64 (2 2)
(wrong tensor-linalg-inv b)
; => tensor-linalg-inv: expected a matrix; given A float32 (4)
(wrong tensor-linalg-solve square square)
; => tensor-linalg-solve: the matrix is singular; given A float32 (2 2), B float32 (2 2)
(wrong tensor-linalg-solve (tensor-eye 2) (tensor-ones 3 1))
; => tensor-linalg-solve: A (2 2) and B (3 1) do not fit the equation A X = B
(wrong tensor-linalg-cholesky (tensor-neg (tensor-eye 2)))
; => tensor-linalg-cholesky: the matrix is not positive definite: its leading minor of order 1 is not; given self float32 (2 2)
(wrong tensor-linalg-det a)
; => tensor-linalg-det: expected a square matrix, got one of 2 by 3; given A float32 (2 3)
(wrong tensor-linalg-slogdet i)
; => tensor-linalg-slogdet: expected a square matrix, got one of 2 by 3; given A int64 (2 3)
(wrong tensor-linalg-qr b)
; => tensor-linalg-qr: expected a matrix; given A float32 (4)
(wrong tensor-linalg-qr a "both")
; => tensor-linalg-qr: qr received unrecognized mode 'both' but expected one of 'reduced' (default), 'r', or 'complete'; given A float32 (2 3), mode "both"
(wrong tensor-linalg-svd i)
; => tensor-linalg-svd: expected a floating-point or complex dtype, got int64; given A int64 (2 3)
(wrong tensor-linalg-eig a)
; => tensor-linalg-eig: expected a square matrix, got one of 2 by 3; given self float32 (2 3)
(wrong tensor-linalg-eigh square "M")
; => tensor-linalg-eigh: expected UPLO argument to be 'L' or 'U', but got M; given self float32 (2 2), UPLO "M"
(wrong tensor-linalg-lstsq a (tensor-ones 3 1))
; => tensor-linalg-lstsq: size -2 of input should match size -2 of other; given self float32 (2 3), b float32 (3 1)
(wrong tensor-linalg-norm a "max")
; => tensor-linalg-norm: order max not supported; given self float32 (2 3), ord "max"
(wrong tensor-linalg-vector-norm i)
; => tensor-linalg-vector-norm: expected a floating-point or complex dtype, got int64; given self int64 (2 3)
(wrong tensor-linalg-matrix-norm b)
; => tensor-linalg-matrix-norm: expected a matrix; given self float32 (4)
(wrong tensor-linalg-matrix-power a 2)
; => tensor-linalg-matrix-power: expected a square matrix, got one of 2 by 3; given self float32 (2 3), n 2
(wrong tensor-linalg-matrix-power square 0.5)
; => tensor-linalg-matrix-power: expected an exact integer for n, got 0.5
(wrong tensor-linalg-multi-dot (list a))
; => tensor-linalg-multi-dot: expected at least 2 tensors but got 1; given tensors (float32 (2 3))
(wrong tensor-linalg-lu i)
; => tensor-linalg-lu: not implemented for dtype int64; given A int64 (2 3)
(wrong tensor-linalg-pinv [1.0])
; => tensor-linalg-pinv: expected a matrix of floating-point numbers; given self float32 (1)
(wrong tensor-linalg-solve-triangular square a)
; => tensor-linalg-solve-triangular: expected the keyword :upper
(wrong tensor-linalg-solve-triangular square square :upper 1)
; => tensor-linalg-solve-triangular: expected a boolean for upper, got 1
(wrong tensor-trace b)
; => tensor-trace: expected a matrix, but got tensor with dim 1; given self float32 (4)
(wrong tensor-cholesky-solve b square)
; => tensor-cholesky-solve: b should have at least 2 dimensions, but has 1 dimensions instead; given self float32 (4), input2 float32 (2 2)
(wrong tensor-matrix-exp a)
; => tensor-matrix-exp: expected a square matrix, got one of 2 by 3; given self float32 (2 3)

;; Convolutions, pools, paddings.
(wrong tensor-conv2d image (tensor-ones 4 2 3 3))
; => tensor-conv2d: input (1 3 8 8) has 3 channels, weight (4 2 3 3) with groups 1 takes 2
(wrong tensor-conv2d image (tensor-ones 4 3 9 9))
; => tensor-conv2d: the kernel (9 9) is larger than the padded input (8 8); given input float32 (1 3 8 8), weight float32 (4 3 9 9)
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) (tensor-ones 5))
; => tensor-conv2d: weight (4 3 3 3) needs a bias of shape (4), got (5); given input float32 (1 3 8 8), weight float32 (4 3 3 3), bias float32 (5)
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) :stride 0)
; => tensor-conv2d: non-positive stride is not supported; given input float32 (1 3 8 8), weight float32 (4 3 3 3), stride 0
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) :stride '(1 1 1))
; => tensor-conv2d: expected an integer or a list of 2 for stride, got (1 1 1); given input float32 (1 3 8 8), weight float32 (4 3 3 3), stride (1 1 1)
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) :padding -1)
; => tensor-conv2d: negative padding is not supported; given input float32 (1 3 8 8), weight float32 (4 3 3 3), padding -1
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) :padding "full")
; => tensor-conv2d: invalid padding string: 'full'; given input float32 (1 3 8 8), weight float32 (4 3 3 3), padding "full"
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) :groups 2)
; => tensor-conv2d: input (1 3 8 8) has 3 channels, weight (4 3 3 3) with groups 2 takes 6
(wrong tensor-conv2d image (tensor-ones 4 3 3 3) :strides 2)
; => tensor-conv2d: unknown keyword :strides
(wrong tensor-conv2d image (tensor-ones 4 3 3 3 :dtype 'float64))
; => tensor-conv2d: expected dtype float32, got float64; given input float32 (1 3 8 8), weight float64 (4 3 3 3)
(wrong tensor-conv2d image)
; => tensor-conv2d: expected at least 2 arguments, got 1
(wrong tensor-conv2d a (tensor-ones 4 3 3 3))
; => tensor-conv2d: expected an input of rank 3, or 4 with batches, got shape (2 3); given input float32 (2 3), weight float32 (4 3 3 3)
(wrong tensor-conv1d image (tensor-ones 4 3 3))
; => tensor-conv1d: expected an input of rank 2, or 3 with batches, got shape (1 3 8 8); given input float32 (1 3 8 8), weight float32 (4 3 3)
(wrong tensor-conv3d image (tensor-ones 4 3 3 3 3))
; => tensor-conv3d: input (1 1 3 8 8) has 1 channels, weight (4 3 3 3 3) with groups 1 takes 3; given input float32 (1 3 8 8), weight float32 (4 3 3 3 3)
(wrong tensor-conv-transpose2d image (tensor-ones 4 2 3 3))
; => tensor-conv-transpose2d: input (1 3 8 8) has 3 channels, weight (4 2 3 3) takes 4
(wrong tensor-max-pool2d image 9)
; => tensor-max-pool2d: the output would be empty: input (3 8 8) leads to (3 0 0); given self float32 (1 3 8 8), kernel-size 9
(wrong tensor-max-pool2d image 2 :padding 2)
; => tensor-max-pool2d: padding 2 is more than half of the kernel size, 2; given self float32 (1 3 8 8), kernel-size 2, padding 2
(wrong tensor-max-pool2d image '(1 2 3))
; => tensor-max-pool2d: expected an integer or a list of two for kernel-size; given self float32 (1 3 8 8), kernel-size (1 2 3)
(wrong tensor-max-pool2d a 2)
; => tensor-max-pool2d: non-empty 3-d or 4-d (batch mode) tensor expected for input; given self float32 (2 3), kernel-size 2
(wrong tensor-max-pool1d image 2)
; => tensor-max-pool1d: expected 2-d or 3-d (batch mode) tensor with optional 0 dim batch size for input, but got (1 3 8 8)
(wrong tensor-avg-pool2d image 0)
; => tensor-avg-pool2d: stride should not be zero; given self float32 (1 3 8 8), kernel-size 0
(wrong tensor-avg-pool2d image 2 0)
; => tensor-avg-pool2d: stride should not be zero; given self float32 (1 3 8 8), kernel-size 2, stride 0
(wrong tensor-adaptive-avg-pool2d image '(2 2 2))
; => tensor-adaptive-avg-pool2d: expected 2 numbers for output-size; given self float32 (1 3 8 8), output-size (2 2 2)
(wrong tensor-adaptive-avg-pool2d b 2)
; => tensor-adaptive-avg-pool2d: expected 3-d or 4-d tensor, but got (4)
(wrong tensor-adaptive-max-pool2d image -1)
; => tensor-adaptive-max-pool2d: size -1 in shape (1 3 -1 -1) is negative; given self float32 (1 3 8 8), output-size -1
(wrong tensor-pad a '(1))
; => tensor-pad: padding length must be divisible by 2; given self float32 (2 3), pad (1)
(wrong tensor-pad a '(1 1) "around")
; => tensor-pad: unrecognised padding mode around; given self float32 (2 3), pad (1 1), mode "around"
(wrong tensor-pad a '(9 9) "reflect")
; => tensor-pad: padding (9 9) is too large for dim 1 of an input (2 3)
(wrong tensor-reflection-pad2d image '(8 8 8 8))
; => tensor-reflection-pad2d: padding (8 8) is too large for dim 3 of an input (1 3 8 8)
(wrong tensor-constant-pad-nd a '(1 2 3))
; => tensor-constant-pad-nd: length of pad must be even but instead it equals 3; given self float32 (2 3), pad (1 2 3)
(wrong tensor-upsample-nearest2d a '(4 4))
; => tensor-upsample-nearest2d: expected a list of 4 for input-size, got 2; given self float32 (2 3), output-size 4
(wrong tensor-upsample-bilinear2d image '(0 0) #f)
; => tensor-upsample-bilinear2d: input and output sizes should be greater than 0, but got input (H: 8, W: 8) output (H: 0, W: 0); given self float32 (1 3 8 8), output-size 0, align-corners #f
(wrong tensor-grid-sampler image (tensor-ones 1 2 2 3) 0 0 #f)
; => tensor-grid-sampler: expected grid to have size 2 in last dimension, but got grid with sizes (1 2 2 3); given input float32 (1 3 8 8), grid float32 (1 2 2 3), interpolation-mode 0, padding-mode 0, align-corners #f
(wrong tensor-im2col image '(2) '(1 1) '(0 0) '(1 1))
; => tensor-im2col: expected a list of 2 for kernel-size, got 1; given self float32 (1 3 8 8), kernel-size (2), dilation 1, padding 0, stride 1

;; Norms and embeddings.
(wrong tensor-batch-norm image #f #f (tensor-ones 4) (tensor-ones 4) #f 0.1 1e-5 #f)
; => tensor-batch-norm: expected a running-mean of 3 elements, got 4; given input float32 (1 3 8 8), running-mean float32 (4), running-var float32 (4), training #f, momentum 0.1, eps 0.00001, cudnn-enabled #f
(wrong tensor-batch-norm image #f #f #f #f #f 0.1 1e-5 #f)
; => tensor-batch-norm: running-mean must be defined in evaluation mode; given input float32 (1 3 8 8), training #f, momentum 0.1, eps 0.00001, cudnn-enabled #f
(wrong tensor-layer-norm a '(4))
; => tensor-layer-norm: normalized-shape (4) differs from the last sizes of input (2 3)
(wrong tensor-layer-norm a '(3) b)
; => tensor-layer-norm: weight (4) differs from normalized-shape (3); given input float32 (2 3), normalized-shape (3), weight float32 (4)
(wrong tensor-layer-norm i '(3))
; => tensor-layer-norm: not implemented for dtype int64; given input int64 (2 3), normalized-shape (3)
(wrong tensor-group-norm image 2)
; => tensor-group-norm: the channels of input (1 3 8 8) are not divisible by 2 groups
(wrong tensor-rms-norm a '(2))
; => tensor-rms-norm: normalized-shape (2) differs from the last sizes of input (2 3)
(wrong tensor-embedding (tensor-ones 10 3) [10])
; => tensor-embedding: index 10 is out of range for a weight of 10 rows; given weight float32 (10 3), indices int64 (1)
(wrong tensor-embedding (tensor-ones 10 3) [1.0])
; => tensor-embedding: expected dtype int64 or int32 for indices, got float32; given weight float32 (10 3), indices float32 (1)
(wrong tensor-embedding b [1])
; => tensor-embedding: expected a matrix for weight; given weight float32 (4), indices int64 (1)
(wrong tensor-embedding-bag a [9])
; => tensor-embedding-bag: expected offsets for an input of shape (1)

;; Losses and attention.
(wrong tensor-mse-loss a b)
; => tensor-mse-loss: shapes (2 3) and (4) do not broadcast
(wrong tensor-mse-loss a a "average")
; => tensor-mse-loss: expected "none", "mean" or "sum" for reduction, got "average"
(wrong tensor-mse-loss a a 7)
; => tensor-mse-loss: LibTorch refuses these arguments; given self float32 (2 3), target float32 (2 3), reduction 7
(wrong tensor-l1-loss a "x")
; => tensor-l1-loss: expected a tensor for target, got "x"
(wrong tensor-cross-entropy-loss a [0 1 2])
; => tensor-cross-entropy-loss: input and target differ in batch size: 2 and 3; given self float32 (2 3), target int64 (3)
(wrong tensor-cross-entropy-loss a [0 7])
; => tensor-cross-entropy-loss: target 7 is out of range for 3 classes; given self float32 (2 3), target int64 (2)
(wrong tensor-cross-entropy-loss a [0.0 1.0])
; => tensor-cross-entropy-loss: expected dtype int64 for target, got float32; given self float32 (2 3), target float32 (2)
(wrong tensor-cross-entropy-loss a i)
; => tensor-cross-entropy-loss: expected a floating-point dtype for class probabilities in target, got int64; given self float32 (2 3), target int64 (2 3)
(wrong tensor-nll-loss a [0 3])
; => tensor-nll-loss: target 3 is out of range for 3 classes; given self float32 (2 3), target int64 (2)
(wrong tensor-nll-loss a i)
; => tensor-nll-loss: expected a target of rank 0 or 1; given self float32 (2 3), target int64 (2 3)
(wrong tensor-nll-loss a [0 1] :reduction "average")
; => tensor-nll-loss: expected "none", "mean" or "sum" for reduction, got "average"
(wrong tensor-binary-cross-entropy (tensor-full '(2) 2.0) [0.0 1.0])
; => tensor-binary-cross-entropy: expected an input between 0 and 1; given self float32 (2), target float32 (2)
(wrong tensor-binary-cross-entropy-with-logits a b)
; => tensor-binary-cross-entropy-with-logits: expected a target of the input's shape (2 3), got (4)
(wrong tensor-kl-div a b)
; => tensor-kl-div: shapes (2 3) and (4) do not broadcast
(wrong tensor-cosine-similarity a b)
; => tensor-cosine-similarity: shapes (2 3) and (4) do not broadcast
(wrong tensor-ctc-loss a i [1] [1])
; => tensor-ctc-loss: expected tensor to have size 1 at dimension 0, but got size 2 targets; given log-probs float32 (2 3), targets int64 (2 3), input-lengths int64 (1), target-lengths int64 (1)
(wrong tensor-scaled-dot-product-attention batch (tensor-ones 5 2 4) (tensor-ones 5 2 4))
; => tensor-scaled-dot-product-attention: query (5 2 3) has 3 features, key (5 2 4) has 4; given query float32 (5 2 3), key float32 (5 2 4), value float32 (5 2 4)
(wrong tensor-scaled-dot-product-attention batch batch (tensor-ones 5 3 3))
; => tensor-scaled-dot-product-attention: key (5 2 3) has 2 rows, value (5 3 3) has 3; given query float32 (5 2 3), key float32 (5 2 3), value float32 (5 3 3)
(wrong tensor-scaled-dot-product-attention batch batch (tensor-ones 5 1 3))
; => tensor-scaled-dot-product-attention: key (5 2 3) has 2 rows, value (5 1 3) has 1; given query float32 (5 2 3), key float32 (5 2 3), value float32 (5 1 3)
(wrong tensor-scaled-dot-product-attention batch batch batch :attn-mask a :is-causal #t)
; => tensor-scaled-dot-product-attention: explicit attn-mask should not be set when is-causal=#t; given query float32 (5 2 3), key float32 (5 2 3), value float32 (5 2 3), attn-mask float32 (2 3), is-causal #t
(wrong tensor-scaled-dot-product-attention batch batch)
; => tensor-scaled-dot-product-attention: expected at least 3 arguments, got 2
(wrong tensor-lstm batch (list a) (list a) #t 1 0.0 #f #f #t)
; => tensor-lstm: expected two hidden states; given input float32 (5 2 3), hx (float32 (2 3)), params (float32 (2 3)), has-biases #t, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-gru-cell a a a a)
; => tensor-gru-cell: weight-ih first dim must be 3 * hidden-size = 9, but got 2; given input float32 (2 3), hx float32 (2 3), w-ih float32 (2 3), w-hh float32 (2 3)

;; Transforms and special functions.
(wrong tensor-fft-fft a 0)
; => tensor-fft-fft: expected 1 or more points, got 0; given self float32 (2 3), n 0
(wrong tensor-fft-fft a 3 5)
; => tensor-fft-fft: dim 5 is out of range for a tensor of rank 2; given self float32 (2 3), n 3, dim 5
(wrong tensor-fft-fft a 3 0 "full")
; => tensor-fft-fft: expected "forward", "backward" or "ortho" for norm, got "full"; given self float32 (2 3), n 3, dim 0, norm "full"
(wrong tensor-fft-fft (tensor-to b 'float16))
; => tensor-fft-fft: not implemented for dtype float16; given self float16 (4)
(wrong tensor-fft-rfft (tensor-to a 'complex64))
; => tensor-fft-rfft: expected a real dtype, got complex64; given self complex64 (2 3)
(wrong tensor-fft-fft2 b)
; => tensor-fft-fft2: dim -2 is out of range for a tensor of rank 1; given self float32 (4)
(wrong tensor-fft-fftn a '(2 3) '(0))
; => tensor-fft-fftn: dim and s differ in length; given self float32 (2 3), s (2 3), dim 0
(wrong tensor-fft-irfft a :n 0)
; => tensor-fft-irfft: expected 1 or more points, got 0; given self float32 (2 3), n 0
(wrong tensor-stft b 3)
; => tensor-stft: expected a value for return-complex; given self float32 (4), n-fft 3
(wrong tensor-stft a 8)
; => tensor-stft: expected a value for return-complex; given self float32 (2 3), n-fft 8
(wrong tensor-special-zeta i "x")
; => tensor-special-zeta: expected a number for other, got "x"
(wrong tensor-special-logsumexp a 3)
; => tensor-special-logsumexp: dim 3 is out of range for a tensor of rank 2; given self float32 (2 3), dim 3
(wrong tensor-complex a i)
; => tensor-complex: expected both inputs to be float16, float32 or float64 tensors but got float32 and int64; given real float32 (2 3), imag int64 (2 3)
(wrong tensor-polar i i)
; => tensor-polar: expected both inputs to be float16, float32 or float64 tensors but got int64 and int64; given abs int64 (2 3), angle int64 (2 3)
(wrong tensor-view a 'float31)
; => tensor-view: expected a dtype, got float31
