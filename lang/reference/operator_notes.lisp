;;; operator_notes.lisp - what the most used operators do, each with an example.
;;;
;;; For `lambent doc`, `(doc name)` and docs/operators; the tests run it as a program.
;;; A note: the operator's name, the shapes of arguments and results, its meaning, an example.

;; tensor-abs: [...] -> [...]
;; The absolute value of each element.
(print (tensor-abs [-1.5 2.0]))  ; => [1.5 2.0]

;; tensor-add: [...] [...] -> broadcast
;; self + alpha * other.
(print (tensor-add [1 2] [10 20] :alpha 2))  ; => [21 42]

;; tensor-addmm: [n p] [n m] [m p] -> [n p]
;; beta * self + alpha * (mat1 @ mat2).
(print (tensor-addmm [1.0 1.0] [[1.0 2.0]] [[1.0 0.0] [0.0 1.0]]))  ; => [[2.0 3.0]]

;; tensor-all: [...] -> [] or without dim
;; Whether all elements are true.
(print (tensor-all [[#t #f] [#t #t]] 1))  ; => [#f #t]

;; tensor-allclose: [...] [...] -> boolean
;; Whether all elements are close to each other: a boolean, not a tensor.
(print (tensor-allclose [1.0] [1.000001]))  ; => #t

;; tensor-amax: [...] -> without the dims
;; The largest elements along dims; ties share the gradient.
(print (tensor-amax [[1 5] [7 2]] 1))  ; => [5 7]

;; tensor-amin: [...] -> without the dims
;; The smallest elements along dims.
(print (tensor-amin [[1 5] [7 2]] 0))  ; => [1 2]

;; tensor-any: [...] -> [] or without dim
;; Whether any element is true.
(print (tensor-any [#f #t]))  ; => #t

;; tensor-arange: -> [n]
;; Numbers from start up to but without end, by step.
(print (tensor-arange 0 10 3))  ; => [0 3 6 9]

;; tensor-argmax: [...] -> [] or without dim
;; The index of the largest element.
(print (tensor-argmax [[1 5] [7 2]] 1))  ; => [1 0]

;; tensor-argmin: [...] -> [] or without dim
;; The index of the smallest element.
(print (tensor-argmin [3 1 2]))  ; => 1

;; tensor-argsort: [...] -> [...] int64
;; The indices that sort along dim.
(print (tensor-argsort [3 1 2]))  ; => [1 2 0]

;; tensor-as-strided: [...] -> size
;; A view of the storage with that size and those strides.
(print (tensor-as-strided (tensor-arange 6) '(2 2) '(3 1)))  ; => [[0 1] [3 4]]

;; tensor-atan2: [...] [...] -> broadcast
;; The angle of the point (other, self).
(print (tensor-atan2 [1.0] [1.0]))  ; => [0.7854]

;; tensor-avg-pool2d: [n c h w] -> [n c h' w']
;; The mean of each window.
(print (tensor-avg-pool2d [[[1.0 2.0] [3.0 4.0]]] 2))  ; => [[[2.5]]]

;; tensor-baddbmm: [b n p] [b n m] [b m p] -> [b n p]
;; beta * self + alpha * (batch1 @ batch2).
(print (tensor-baddbmm [[[1.0]]] [[[2.0]]] [[[3.0]]]))  ; => [[[7.0]]]

;; tensor-batch-norm: [n c ...] -> [n c ...]
;; Each channel with mean 0 and variance 1, then times weight plus bias.
(print (tensor-batch-norm [[1.0] [3.0]] #f #f #f #f #t 0.1 0.0 #f))  ; => [[-1.0] [1.0]]

;; tensor-bernoulli: [...] -> [...]
;; 1 with the probability that each element is, else 0.
(print (tensor-bernoulli [0.0 1.0]))  ; => [0.0 1.0]

;; tensor-bincount: [n] int -> [max + 1]
;; How often each number occurs.
(print (tensor-bincount [0 2 2]))  ; => [1 0 2]

;; tensor-bitwise-and: [...] [...] -> broadcast
;; The bits that both have.
(print (tensor-bitwise-and [6] [3]))  ; => [2]

;; tensor-bmm: [b n m] [b m p] -> [b n p]
;; Matrix products, one for each of the batch.
(print (tensor-bmm [[[1.0 2.0]]] [[[3.0] [4.0]]]))  ; => [[[11.0]]]

;; tensor-bucketize: [...] [n] -> [...] int64
;; Between which of the sorted boundaries each element lies.
(print (tensor-bucketize [1 5] [2 4 6]))  ; => [0 2]

;; tensor-cat: list of [...] -> joined along dim
;; The tensors one after the other along dim.
(print (tensor-cat (list [1 2] [3])))  ; => [1 2 3]

;; tensor-cdist: [n d] [m d] -> [n m]
;; The distance between each pair of rows.
(print (tensor-cdist [[0.0 0.0]] [[3.0 4.0]]))  ; => [[5.0]]

;; tensor-ceil: [...] -> [...]
;; The smallest integer not below each element.
(print (tensor-ceil [1.2 -1.2]))  ; => [2.0 -1.0]

;; tensor-celu: [...] -> [...]
;; max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
(print (tensor-celu [1.0 -1.0]))  ; => [1.0 -0.6321]

;; tensor-chunk: [...] -> list
;; At most that many pieces along dim.
(print (tensor-chunk [1 2 3 4 5] 2))  ; => ([1 2 3] [4 5])

;; tensor-clamp: [...] -> [...]
;; The nearest value between min and max, either of which may be #f.
(print (tensor-clamp [-2 0 5] 0 3))  ; => [0 0 3]

;; tensor-clone: [...] -> [...]
;; A copy with its own storage; gradients flow through it.
(print (tensor-clone [1 2]))  ; => [1 2]

;; tensor-constant-pad-nd: [...] -> padded
;; Padded with a value: before and after, from the last dimension on.
(print (tensor-constant-pad-nd [1 2] '(1 2) 0))  ; => [0 1 2 0 0]

;; tensor-contiguous: [...] -> [...]
;; The same elements contiguous in memory; itself if they are already.
(print (tensor-contiguous (tensor-t [[1 2] [3 4]])))  ; => [[1 3] [2 4]]

;; tensor-conv-transpose2d: [n c h w] [c o k k] -> [n o h' w']
;; The gradient of conv2d in its input: upsampling by convolution.
(print (tensor-conv-transpose2d (tensor-ones 1 1 1 1) (tensor-ones 1 1 2 2)))  ; => [[[[1.0 1.0] [1.0 1.0]]]]

;; tensor-conv1d: [n c l] [o c k] -> [n o l']
;; Convolution along one dimension.
(print (tensor-conv1d [[[1.0 2.0 3.0]]] [[[1.0 1.0]]]))  ; => [[[3.0 5.0]]]

;; tensor-conv2d: [n c h w] [o c k k] -> [n o h' w']
;; Convolution of images; stride, padding and dilation are numbers or lists.
(print (tensor-conv2d (tensor-ones 1 1 3 3) (tensor-ones 1 1 2 2)))  ; => [[[[4.0 4.0] [4.0 4.0]]]]

;; tensor-copy!: [...] -> [...]
;; Replace the elements of self by those of src, and return self.
(print (tensor-copy! (tensor-zeros 2) [1 2]))  ; => [1.0 2.0]

;; tensor-cos: [...] -> [...]
;; The cosine of each element, in radians.
(print (tensor-cos [0.0]))  ; => [1.0]

;; tensor-cosh: [...] -> [...]
;; The hyperbolic cosine.
(print (tensor-cosh [0.0]))  ; => [1.0]

;; tensor-cosine-similarity: [... d] [... d] -> [...]
;; The cosine of the angle between vectors along dim.
(print (tensor-cosine-similarity [[1.0 0.0]] [[1.0 1.0]]))  ; => [0.7071]

;; tensor-count-nonzero: [...] -> [] or without dim
;; How many elements are not zero.
(print (tensor-count-nonzero [0 1 2]))  ; => 2

;; tensor-cross-entropy-loss: [n c] [n] int64 -> []
;; The mean of minus the log of the probability that scores give the right class.
(print (tensor-cross-entropy-loss [[0.0 0.0]] [1]))  ; => 0.6931

;; tensor-cummax: [...] -> (values indices)
;; The largest so far along dim.
(print (tensor-cummax [1 3 2] 0))  ; => ([1 3 3] [0 1 1])

;; tensor-cumprod: [...] -> [...]
;; The product so far along dim.
(print (tensor-cumprod [1 2 3] 0))  ; => [1 2 6]

;; tensor-cumsum: [...] -> [...]
;; The sum so far along dim.
(print (tensor-cumsum [1 2 3] 0))  ; => [1 3 6]

;; tensor-det: [n n] -> []
;; The determinant.
(print (tensor-det [[1.0 2.0] [3.0 4.0]]))  ; => -2.0

;; tensor-detach: [...] -> [...]
;; A view that is not part of the recorded computation.
(print (tensor-detach [1.0]))  ; => [1.0]

;; tensor-diag: [n] -> [n n] or back
;; A matrix with that diagonal, or the diagonal of a matrix.
(print (tensor-diag [1 2]))  ; => [[1 0] [0 2]]

;; tensor-diagonal: [n n ...] -> [... n]
;; The diagonal of two dimensions, as a view.
(print (tensor-diagonal [[1 2] [3 4]]))  ; => [1 4]

;; tensor-diff: [... n] -> [... n-1]
;; The differences of neighbours.
(print (tensor-diff [1 4 9]))  ; => [3 5]

;; tensor-div: [...] [...] -> broadcast
;; self / other; :rounding-mode 'floor or 'trunc for integer quotients.
(print (tensor-div [7 -7] 2 :rounding-mode 'floor))  ; => [3 -4]

;; tensor-dot: [n] [n] -> []
;; The sum of products.
(print (tensor-dot [1 2] [3 4]))  ; => 11

;; tensor-dropout: [...] -> [...]
;; In training, zeros with probability p, and the rest divided by 1 - p.
(print (tensor-dropout [1.0 2.0] 0.5 #f))  ; => [1.0 2.0]

;; tensor-einsum: list of [...] -> by the equation
;; Sums of products, with a letter for each dimension.
(print (tensor-einsum "ij,jk->ik" (list [[1 2]] [[3] [4]])))  ; => [[11]]

;; tensor-elu: [...] -> [...]
;; x, or alpha * (exp(x) - 1) where that is negative.
(print (tensor-elu [1.0 -1.0]))  ; => [1.0 -0.6321]

;; tensor-embedding: [v d] [...] int64 -> [... d]
;; The rows of weight that the indices name.
(print (tensor-embedding [[1.0 2.0] [3.0 4.0]] [1 0]))  ; => [[3.0 4.0] [1.0 2.0]]

;; tensor-empty: -> size
;; A tensor with uninitialized elements.
(print (tensor-shape (tensor-empty 2 3)))  ; => (2 3)

;; tensor-eq: [...] [...] -> broadcast bool
;; Where elements are equal.
(print (tensor-eq [1 2] [1 3]))  ; => [#t #f]

;; tensor-erf: [...] -> [...]
;; The error function.
(print (tensor-erf [0.0 1.0]))  ; => [0.0 0.8427]

;; tensor-exp: [...] -> [...]
;; e to the power of each element.
(print (tensor-exp [0.0 1.0]))  ; => [1.0 2.7183]

;; tensor-expand: [...] -> size
;; A view in which dimensions of size 1 are repeated; -1 keeps a size.
(print (tensor-expand [[1] [2]] 2 3))  ; => [[1 1 1] [2 2 2]]

;; tensor-expm1: [...] -> [...]
;; exp(x) - 1, exact also near 0.
(print (tensor-expm1 [0.0]))  ; => [0.0]

;; tensor-eye: -> [n m]
;; Ones on the diagonal, zeros elsewhere.
(print (tensor-eye 2))  ; => [[1.0 0.0] [0.0 1.0]]

;; tensor-fft-fft: [... n] -> [... n] complex
;; The discrete Fourier transform along dim.
(print (tensor-fft-fft [1.0 0.0]))  ; => [1.0+0.0i 1.0+0.0i]

;; tensor-fft-rfft: [... n] -> [... n/2+1] complex
;; The transform of real numbers, without the redundant half.
(print (tensor-shape (tensor-fft-rfft [1.0 2.0 3.0 4.0])))  ; => (3)

;; tensor-fill!: [...] -> [...]
;; Set every element to a value, and return self.
(print (tensor-fill! (tensor-zeros 2) 7))  ; => [7.0 7.0]

;; tensor-flatten: [...] -> one dimension
;; Dimensions from start-dim to end-dim as one.
(print (tensor-flatten [[1 2] [3 4]]))  ; => [1 2 3 4]

;; tensor-flip: [...] -> [...]
;; The elements in reverse order along dims.
(print (tensor-flip [1 2 3] 0))  ; => [3 2 1]

;; tensor-floor: [...] -> [...]
;; The largest integer not above each element.
(print (tensor-floor [1.8 -1.2]))  ; => [1.0 -2.0]

;; tensor-floor-divide: [...] [...] -> broadcast
;; The quotient rounded down.
(print (tensor-floor-divide [7 -7] 2))  ; => [3 -4]

;; tensor-fmod: [...] [...] -> broadcast
;; The remainder with the sign of self.
(print (tensor-fmod [-7] 3))  ; => [-1]

;; tensor-full: -> size
;; A tensor of one value.
(print (tensor-full '(2 2) 7))  ; => [[7 7] [7 7]]

;; tensor-full-like: [...] -> [...]
;; The value in a tensor of the same shape and dtype.
(print (tensor-full-like [1.0 2.0] 7))  ; => [7.0 7.0]

;; tensor-gather: [...] index -> the shape of index
;; The elements at indices along dim.
(print (tensor-gather [[1 2] [3 4]] 1 [[0] [1]]))  ; => [[1] [4]]

;; tensor-ge: [...] [...] -> broadcast bool
;; Where self >= other.
(print (tensor-ge [1 2] 2))  ; => [#f #t]

;; tensor-gelu: [...] -> [...]
;; x times the normal distribution up to x; :approximate 'tanh is faster.
(print (tensor-gelu [1.0 -1.0]))  ; => [0.8413 -0.1587]

;; tensor-group-norm: [n c ...] -> [n c ...]
;; Groups of channels with mean 0 and variance 1.
(print (tensor-group-norm [[1.0 3.0]] 1))  ; => [[-1.0 1.0]]

;; tensor-gt: [...] [...] -> broadcast bool
;; Where self > other.
(print (tensor-gt [1 2] 1))  ; => [#f #t]

;; tensor-hardtanh: [...] -> [...]
;; The nearest value between min-val and max-val.
(print (tensor-hardtanh [-2.0 0.5]))  ; => [-1.0 0.5]

;; tensor-histc: [...] -> [bins]
;; How many elements fall into each of equal bins.
(print (tensor-histc [1.0 2.0 2.0] 2 1 2))  ; => [1.0 2.0]

;; tensor-huber-loss: [...] [...] -> []
;; Squared below delta, linear above.
(print (tensor-huber-loss [0.0] [3.0]))  ; => 2.5

;; tensor-index: [...] list of tensors -> by the indices
;; The elements at indices, a tensor for each dimension, #f for all of one.
(print (tensor-index [[1 2] [3 4]] (list #f [1])))  ; => [[2] [4]]

;; tensor-index-add: [...] -> [...]
;; Add the slices of source at the indices along dim.
(print (tensor-index-add [0 0 0] 0 [2 0] [5 6]))  ; => [6 0 5]

;; tensor-index-select: [...] [k] -> k along dim
;; The slices at indices along dim.
(print (tensor-index-select [[1 2] [3 4]] 1 [1]))  ; => [[2] [4]]

;; tensor-inverse: [n n] -> [n n]
;; The inverse matrix.
(print (tensor-inverse [[2.0 0.0] [0.0 4.0]]))  ; => [[0.5 0.0] [0.0 0.25]]

;; tensor-isfinite: [...] -> [...] bool
;; Where elements are neither infinite nor nan.
(print (tensor-isfinite [1.0 +inf.0]))  ; => [#t #f]

;; tensor-isnan: [...] -> [...] bool
;; Where elements are nan.
(print (tensor-isnan [1.0 +nan.0]))  ; => [#f #t]

;; tensor-kl-div: [...] [...] -> []
;; The Kullback-Leibler divergence; self holds logs of probabilities.
(print (tensor-kl-div [[0.0]] [[1.0]]))  ; => 0.0

;; tensor-kthvalue: [...] -> (values indices)
;; The k-th smallest element along dim, from 1.
(print (tensor-kthvalue [3 1 2] 2))  ; => (2 2)

;; tensor-l1-loss: [...] [...] -> []
;; The mean of the absolute differences.
(print (tensor-l1-loss [1.0 2.0] [2.0 4.0]))  ; => 1.5

;; tensor-layer-norm: [... shape] -> [... shape]
;; The last dimensions with mean 0 and variance 1, then times weight plus bias.
(print (tensor-layer-norm [1.0 3.0] '(2)))  ; => [-1.0 1.0]

;; tensor-le: [...] [...] -> broadcast bool
;; Where self <= other.
(print (tensor-le [1 2] 1))  ; => [#t #f]

;; tensor-leaky-relu: [...] -> [...]
;; x, or negative-slope * x where that is negative.
(print (tensor-leaky-relu [1.0 -1.0] 0.1))  ; => [1.0 -0.1]

;; tensor-lerp: [...] [...] -> broadcast
;; self + weight * (end - self).
(print (tensor-lerp [0.0] [10.0] 0.3))  ; => [3.0]

;; tensor-linalg-cholesky: [... n n] -> [... n n]
;; The lower triangle whose product with its transpose is the matrix.
(print (tensor-linalg-cholesky [[4.0 0.0] [0.0 9.0]]))  ; => [[2.0 0.0] [0.0 3.0]]

;; tensor-linalg-det: [... n n] -> [...]
;; The determinant.
(print (tensor-linalg-det [[1.0 2.0] [3.0 4.0]]))  ; => -2.0

;; tensor-linalg-eigh: [... n n] -> (values vectors)
;; Eigenvalues, ascending, and eigenvectors of a symmetric matrix.
(print (car (tensor-linalg-eigh [[2.0 0.0] [0.0 1.0]])))  ; => [1.0 2.0]

;; tensor-linalg-inv: [... n n] -> [... n n]
;; The inverse matrix.
(print (tensor-linalg-inv [[2.0 0.0] [0.0 4.0]]))  ; => [[0.5 0.0] [0.0 0.25]]

;; tensor-linalg-lstsq: [m n] [m k] -> (solution ...)
;; The x that makes self @ x nearest to b.
(print (car (tensor-linalg-lstsq [[1.0] [1.0]] [[1.0] [3.0]])))  ; => [[2.0]]

;; tensor-linalg-matrix-norm: [... n m] -> [...]
;; A norm of matrices: 'fro, 'nuc or a number.
(print (tensor-linalg-matrix-norm [[3.0 4.0]]))  ; => 5.0

;; tensor-linalg-norm: [...] -> [] or without dim
;; The norm of vectors or matrices, of order ord.
(print (tensor-linalg-norm [3.0 4.0]))  ; => 5.0

;; tensor-linalg-pinv: [... n m] -> [... m n]
;; The pseudoinverse.
(print (tensor-linalg-pinv [[2.0]]))  ; => [[0.5]]

;; tensor-linalg-qr: [... n m] -> (q r)
;; An orthogonal matrix and an upper triangle whose product is the matrix.
(print (tensor-shape (car (tensor-linalg-qr [[1.0] [2.0]]))))  ; => (2 1)

;; tensor-linalg-slogdet: [... n n] -> (sign logabsdet)
;; The sign of the determinant and the log of its absolute value.
(print (tensor-linalg-slogdet [[-1.0]]))  ; => (-1.0 0.0)

;; tensor-linalg-solve: [... n n] [... n k] -> [... n k]
;; The x for which A @ x is B.
(print (tensor-linalg-solve [[2.0 0.0] [0.0 4.0]] [2.0 4.0]))  ; => [1.0 1.0]

;; tensor-linalg-svd: [... n m] -> (u s vh)
;; Singular values and vectors.
(print (cadr (tensor-linalg-svd [[3.0 0.0] [0.0 2.0]])))  ; => [3.0 2.0]

;; tensor-linalg-vector-norm: [...] -> [] or without dim
;; The norm of order ord of all elements, or along dim.
(print (tensor-linalg-vector-norm [3.0 4.0]))  ; => 5.0

;; tensor-linear: [... n] [m n] -> [... m]
;; input @ transposed weight, plus bias.
(print (tensor-linear [1.0 2.0] [[1.0 1.0]] [0.5]))  ; => [3.5]

;; tensor-linspace: -> [steps]
;; Numbers at equal distances from start to end, both included.
(print (tensor-linspace 0 1 5))  ; => [0.0 0.25 0.5 0.75 1.0]

;; tensor-log: [...] -> [...]
;; The natural logarithm.
(print (tensor-log [1.0]))  ; => [0.0]

;; tensor-log-softmax: [...] -> [...]
;; The logarithm of softmax, computed stably.
(print (tensor-log-softmax [0.0 0.0] 0))  ; => [-0.6931 -0.6931]

;; tensor-log10: [...] -> [...]
;; The logarithm to base 10.
(print (tensor-log10 [100.0]))  ; => [2.0]

;; tensor-log1p: [...] -> [...]
;; log(1 + x), exact also near 0.
(print (tensor-log1p [0.0]))  ; => [0.0]

;; tensor-log2: [...] -> [...]
;; The logarithm to base 2.
(print (tensor-log2 [8.0]))  ; => [3.0]

;; tensor-logaddexp: [...] [...] -> broadcast
;; log(exp(self) + exp(other)).
(print (tensor-logaddexp [0.0] [0.0]))  ; => [0.6931]

;; tensor-logical-and: [...] [...] -> broadcast bool
;; Where both are true, that is not zero.
(print (tensor-logical-and [#t #f] [#t #t]))  ; => [#t #f]

;; tensor-logical-not: [...] -> [...] bool
;; Where elements are zero.
(print (tensor-logical-not [0 2]))  ; => [#t #f]

;; tensor-logical-or: [...] [...] -> broadcast bool
;; Where one of them is true.
(print (tensor-logical-or [#t #f] [#f #f]))  ; => [#t #f]

;; tensor-logsumexp: [...] -> without dim
;; The logarithm of the sum of exponentials, computed stably.
(print (tensor-logsumexp [0.0 0.0] 0))  ; => 0.6931

;; tensor-lt: [...] [...] -> broadcast bool
;; Where self < other.
(print (tensor-lt [1 2] 2))  ; => [#t #f]

;; tensor-masked-fill: [...] mask -> [...]
;; The value where the mask is true, else self.
(print (tensor-masked-fill [1 2] [#t #f] 0))  ; => [0 2]

;; tensor-masked-select: [...] mask -> [k]
;; The elements where the mask is true.
(print (tensor-masked-select [1 2 3] [#t #f #t]))  ; => [1 3]

;; tensor-matmul: [... n m] [... m p] -> [... n p]
;; The matrix product; of vectors the dot product.  @ is a name of it.
(print (tensor-matmul [[1.0 2.0]] [[3.0] [4.0]]))  ; => [[11.0]]

;; tensor-max: [...] -> [], or (values indices) along dim
;; The largest element, or elementwise of two tensors.
(print (tensor-max [[1 5] [7 2]] 1))  ; => ([5 7] [1 0])

;; tensor-max-pool2d: [n c h w] -> [n c h' w']
;; The largest element of each window.
(print (tensor-max-pool2d [[[1.0 2.0] [3.0 4.0]]] 2))  ; => [[[4.0]]]

;; tensor-maximum: [...] [...] -> broadcast
;; The larger of two elements.
(print (tensor-maximum [1 5] [3 2]))  ; => [3 5]

;; tensor-mean: [...] -> [] or without the dims
;; The mean.
(print (tensor-mean [[1.0 2.0] [3.0 4.0]] 1))  ; => [1.5 3.5]

;; tensor-median: [...] -> [], or (values indices) along dim
;; The lower of the middle elements.
(print (tensor-median [3 1 2]))  ; => 2

;; tensor-meshgrid: list of [n] -> list of grids
;; The coordinates of a grid.
(print (tensor-meshgrid (list [1 2] [3 4]) :indexing 'ij))  ; => ([[1 1] [2 2]] [[3 4] [3 4]])

;; tensor-min: [...] -> [], or (values indices) along dim
;; The smallest element, or elementwise of two tensors.
(print (tensor-min [3 1 2]))  ; => 1

;; tensor-minimum: [...] [...] -> broadcast
;; The smaller of two elements.
(print (tensor-minimum [1 5] [3 2]))  ; => [1 2]

;; tensor-mm: [n m] [m p] -> [n p]
;; The product of two matrices.
(print (tensor-mm [[1.0 2.0]] [[3.0] [4.0]]))  ; => [[11.0]]

;; tensor-movedim: [...] -> [...]
;; Dimensions moved to other positions.
(print (tensor-shape (tensor-movedim (tensor-zeros 2 3 4) 0 2)))  ; => (3 4 2)

;; tensor-mse-loss: [...] [...] -> []
;; The mean of the squared differences; :reduction 0 none, 1 mean, 2 sum.
(print (tensor-mse-loss [1.0 2.0] [2.0 4.0]))  ; => 2.5

;; tensor-mul: [...] [...] -> broadcast
;; The product of elements.
(print (tensor-mul [1 2] [3 4]))  ; => [3 8]

;; tensor-multinomial: [n] -> [k] int64
;; Indices drawn with the probabilities of the weights.
(print (tensor-multinomial [0.0 1.0] 1))  ; => [1]

;; tensor-mv: [n m] [m] -> [n]
;; A matrix times a vector.
(print (tensor-mv [[1.0 2.0]] [3.0 4.0]))  ; => [11.0]

;; tensor-nan-to-num: [...] -> [...]
;; nan and infinities replaced by numbers.
(print (tensor-nan-to-num [+nan.0 1.0]))  ; => [0.0 1.0]

;; tensor-narrow: [...] -> [...]
;; length slices along dim from start on: a view.
(print (tensor-narrow [1 2 3 4] 0 1 2))  ; => [2 3]

;; tensor-ne: [...] [...] -> broadcast bool
;; Where elements differ.
(print (tensor-ne [1 2] [1 3]))  ; => [#f #t]

;; tensor-neg: [...] -> [...]
;; Minus each element.
(print (tensor-neg [1 -2]))  ; => [-1 2]

;; tensor-nll-loss: [n c] [n] int64 -> []
;; The mean of minus the log probabilities of the right classes.
(print (tensor-nll-loss [[-1.0 -2.0]] [1]))  ; => 2.0

;; tensor-nonzero: [...] -> [k rank] int64
;; The indices of elements that are not zero.
(print (tensor-nonzero [0 5 6]))  ; => [[1] [2]]

;; tensor-norm: [...] -> [] or without dim
;; The norm of order p; prefer linalg-vector-norm.
(print (tensor-norm [3.0 4.0]))  ; => 5.0

;; tensor-normal: [...] [...] -> [...]
;; Random numbers with those means and deviations.
(print (tensor-shape (tensor-normal (tensor-zeros 2) 1.0)))  ; => (2)

;; tensor-one-hot: [...] int64 -> [... classes]
;; A 1 at each index, zeros elsewhere.
(print (tensor-one-hot [0 2] 3))  ; => [[1 0 0] [0 0 1]]

;; tensor-ones: -> size
;; A tensor of ones.
(print (tensor-ones 2 :dtype 'int64))  ; => [1 1]

;; tensor-ones-like: [...] -> [...]
;; Ones in the same shape and dtype.
(print (tensor-ones-like [5 6]))  ; => [1 1]

;; tensor-outer: [n] [m] -> [n m]
;; The product of each pair of elements.
(print (tensor-outer [1 2] [3 4]))  ; => [[3 4] [6 8]]

;; tensor-pad: [...] -> padded
;; Padded as :mode says: "constant" "reflect" "replicate" "circular".
(print (tensor-pad [[1.0 2.0 3.0]] '(1 1) "reflect"))  ; => [[2.0 1.0 2.0 3.0 2.0]]

;; tensor-permute: [...] -> [...]
;; The dimensions in another order: a view.
(print (tensor-permute [[1 2] [3 4]] 1 0))  ; => [[1 3] [2 4]]

;; tensor-pow: [...] [...] -> broadcast
;; self to the power of the exponent.
(print (tensor-pow [2.0 3.0] 2))  ; => [4.0 9.0]

;; tensor-prod: [...] -> [] or without dim
;; The product of the elements.
(print (tensor-prod [2 3 4]))  ; => 24

;; tensor-quantile: [...] -> [] or without dim
;; The value below which that fraction of the elements lies.
(print (tensor-quantile [1.0 2.0 3.0] 0.5))  ; => 2.0

;; tensor-rand: -> size
;; Random numbers from 0 up to but without 1; manual-seed makes them repeat.
(print (tensor-shape (tensor-rand 2 3)))  ; => (2 3)

;; tensor-randint: -> size int64
;; Random integers from low up to but without high.
(print (tensor-randint 5 6 '(2)))  ; => [5 5]

;; tensor-randn: -> size
;; Normal random numbers, of mean 0 and variance 1.
(print (tensor-shape (tensor-randn 2 3)))  ; => (2 3)

;; tensor-randperm: -> [n] int64
;; The numbers below n in random order.
(print (tensor-sum (tensor-randperm 4)))  ; => 6

;; tensor-reciprocal: [...] -> [...]
;; One divided by each element.
(print (tensor-reciprocal [2.0 4.0]))  ; => [0.5 0.25]

;; tensor-relu: [...] -> [...]
;; Each element, or 0 where it is negative.
(print (tensor-relu [-1.0 2.0]))  ; => [0.0 2.0]

;; tensor-remainder: [...] [...] -> broadcast
;; The remainder with the sign of other.
(print (tensor-remainder [-7] 3))  ; => [2]

;; tensor-repeat: [...] -> repeated
;; The tensor repeated that many times along each dimension.
(print (tensor-repeat [1 2] 2))  ; => [1 2 1 2]

;; tensor-repeat-interleave: [...] -> repeated
;; Each element repeated that many times.
(print (tensor-repeat-interleave [1 2] 2))  ; => [1 1 2 2]

;; tensor-reshape: [...] -> shape
;; The same elements in another shape; one size may be -1, for the rest.
(print (tensor-reshape [1 2 3 4] 2 -1))  ; => [[1 2] [3 4]]

;; tensor-roll: [...] -> [...]
;; The elements shifted along dims, around the end.
(print (tensor-roll [1 2 3] 1))  ; => [3 1 2]

;; tensor-round: [...] -> [...]
;; The nearest integer; halves are rounded to even.
(print (tensor-round [0.5 1.5]))  ; => [0.0 2.0]

;; tensor-rsqrt: [...] -> [...]
;; One divided by the square root.
(print (tensor-rsqrt [4.0]))  ; => [0.5]

;; tensor-scaled-dot-product-attention: [... t d] [... s d] [... s e] -> [... t e]
;; softmax(query @ key' / sqrt d) @ value; :attn-mask, :is-causal, :scale, :enable-gqa.
(print (tensor-scaled-dot-product-attention [[[1.0]]] [[[1.0]]] [[[5.0]]]))  ; => [[[5.0]]]

;; tensor-scatter: [...] -> [...]
;; The elements of src (or a value) put at indices along dim.
(print (tensor-scatter [0 0 0] 0 [2] [9]))  ; => [0 0 9]

;; tensor-scatter-add: [...] -> [...]
;; The elements of src added at indices along dim.
(print (tensor-scatter-add [1 1 1] 0 [0 0] [5 6]))  ; => [12 1 1]

;; tensor-searchsorted: [n] [...] -> [...] int64
;; Where the values would go in a sorted sequence.
(print (tensor-searchsorted [1 3 5] [4]))  ; => [2]

;; tensor-select: [...] -> one dimension less
;; The slice at an index along dim: a view.
(print (tensor-select [[1 2] [3 4]] 1 0))  ; => [1 3]

;; tensor-sigmoid: [...] -> [...]
;; 1 / (1 + exp(-x)).
(print (tensor-sigmoid [0.0]))  ; => [0.5]

;; tensor-sign: [...] -> [...]
;; -1, 0 or 1.
(print (tensor-sign [-2 0 5]))  ; => [-1 0 1]

;; tensor-silu: [...] -> [...]
;; x * sigmoid(x).
(print (tensor-silu [1.0]))  ; => [0.7311]

;; tensor-sin: [...] -> [...]
;; The sine of each element, in radians.
(print (tensor-sin [0.0]))  ; => [0.0]

;; tensor-smooth-l1-loss: [...] [...] -> []
;; Squared below beta, absolute above.
(print (tensor-smooth-l1-loss [0.0] [3.0]))  ; => 2.5

;; tensor-softmax: [...] -> [...]
;; Exponentials along dim, divided by their sum.
(print (tensor-softmax [0.0 0.0] 0))  ; => [0.5 0.5]

;; tensor-softplus: [...] -> [...]
;; log(1 + exp(x)).
(print (tensor-softplus [0.0]))  ; => [0.6931]

;; tensor-sort: [...] -> (values indices)
;; The elements in order along dim, and where they were.
(print (tensor-sort [3 1 2]))  ; => ([1 2 3] [1 2 0])

;; tensor-special-expit: [...] -> [...]
;; sigmoid under its name in statistics.
(print (tensor-special-expit [0.0]))  ; => [0.5]

;; tensor-split: [...] -> list
;; Pieces of that size along dim.
(print (tensor-split [1 2 3 4 5] 2))  ; => ([1 2] [3 4] [5])

;; tensor-sqrt: [...] -> [...]
;; The square root.
(print (tensor-sqrt [4.0 9.0]))  ; => [2.0 3.0]

;; tensor-square: [...] -> [...]
;; Each element times itself.
(print (tensor-square [2 3]))  ; => [4 9]

;; tensor-squeeze: [...] -> fewer dimensions
;; Without dimensions of size 1: a view.
(print (tensor-squeeze [[1 2]]))  ; => [1 2]

;; tensor-stack: list of [...] -> one dimension more
;; Tensors of one shape along a new dimension.
(print (tensor-stack (list [1 2] [3 4]) 1))  ; => [[1 3] [2 4]]

;; tensor-std: [...] -> [] or without the dims
;; The standard deviation; :correction 1 unless told otherwise.
(print (tensor-std [1.0 3.0]))  ; => 1.4142

;; tensor-sub: [...] [...] -> broadcast
;; self - alpha * other.
(print (tensor-sub [5 7] [1 2]))  ; => [4 5]

;; tensor-sum: [...] -> [] or without the dims
;; The sum of the elements.
(print (tensor-sum [[1 2] [3 4]] 0 :keepdim #t))  ; => [[4 6]]

;; tensor-t: [n m] -> [m n]
;; The transpose of a matrix: a view.
(print (tensor-t [[1 2] [3 4]]))  ; => [[1 3] [2 4]]

;; tensor-take: [...] [k] -> [k]
;; Elements by their index in the flattened tensor.
(print (tensor-take [[1 2] [3 4]] [3 0]))  ; => [4 1]

;; tensor-take-along-dim: [...] index -> the shape of index
;; The elements at indices along dim, such as those of argsort.
(print (tensor-take-along-dim [3 1 2] [1 2 0] 0))  ; => [1 2 3]

;; tensor-tan: [...] -> [...]
;; The tangent.
(print (tensor-tan [0.0]))  ; => [0.0]

;; tensor-tanh: [...] -> [...]
;; The hyperbolic tangent.
(print (tensor-tanh [0.0]))  ; => [0.0]

;; tensor-tensordot: [...] [...] -> the other dimensions
;; Sums of products over pairs of dimensions.
(print (tensor-tensordot [1.0 2.0] [3.0 4.0] '(0) '(0)))  ; => 11.0

;; tensor-tile: [...] -> repeated
;; The tensor repeated that many times along each dimension.
(print (tensor-tile [1 2] 2))  ; => [1 2 1 2]

;; tensor-topk: [...] -> (values indices)
;; The k largest elements along dim, and where they are.
(print (tensor-topk [1.0 5.0 3.0] 2))  ; => ([5.0 3.0] [1 2])

;; tensor-transpose: [...] -> [...]
;; Two dimensions exchanged: a view.
(print (tensor-transpose [[1 2] [3 4]] 0 1))  ; => [[1 3] [2 4]]

;; tensor-tril: [... n m] -> [... n m]
;; The lower triangle, zeros above.
(print (tensor-tril [[1 2] [3 4]]))  ; => [[1 0] [3 4]]

;; tensor-triu: [... n m] -> [... n m]
;; The upper triangle, zeros below.
(print (tensor-triu [[1 2] [3 4]]))  ; => [[1 2] [0 4]]

;; tensor-trunc: [...] -> [...]
;; The integer part.
(print (tensor-trunc [1.8 -1.8]))  ; => [1.0 -1.0]

;; tensor-unbind: [...] -> list
;; The slices along dim: views.
(print (tensor-unbind [[1 2] [3 4]]))  ; => ([1 2] [3 4])

;; tensor-unfold: [...] -> one dimension more
;; Windows of a size along a dimension, a step apart: a view.
(print (tensor-unfold [1 2 3 4] 0 2 1))  ; => [[1 2] [2 3] [3 4]]

;; tensor-unique-dim: [...] -> (values inverse counts)
;; The slices along dim that differ.
(print (car (tensor-unique-dim [3 1 3] 0)))  ; => [1 3]

;; tensor-unsqueeze: [...] -> one dimension more
;; A new dimension of size 1: a view.
(print (tensor-unsqueeze [1 2] 1))  ; => [[1] [2]]

;; tensor-upsample-nearest2d: [n c h w] -> [n c h' w']
;; A larger image, by the nearest element.
(print (tensor-upsample-nearest2d [[[[1.0 2.0]]]] '(1 4)))  ; => [[[[1.0 1.0 2.0 2.0]]]]

;; tensor-var: [...] -> [] or without the dims
;; The variance; :correction 1 unless told otherwise.
(print (tensor-var [1.0 3.0]))  ; => 2.0

;; tensor-view: [...] -> size
;; The same storage in another shape; tensor-reshape where that is not possible.
(print (tensor-view [1 2 3 4] 2 2))  ; => [[1 2] [3 4]]

;; tensor-where: mask [...] [...] -> broadcast
;; self where the condition is true, else other; of a condition alone its indices.
(print (tensor-where [#t #f] [1 2] [3 4]))  ; => [1 4]

;; tensor-zero!: [...] -> [...]
;; Set every element to zero, and return self.
(print (tensor-zero! (tensor-ones 2)))  ; => [0.0 0.0]

;; tensor-zeros: -> size
;; A tensor of zeros.
(print (tensor-zeros 2 3))  ; => [[0.0 0.0 0.0] [0.0 0.0 0.0]]

;; tensor-zeros-like: [...] -> [...]
;; Zeros in the same shape and dtype.
(print (tensor-zeros-like [5 6]))  ; => [0 0]
