;; What operators that change shapes, pick parts, sort, gather and scatter say to wrong calls.

(import "modules/wrong.lisp")

(define a (tensor-ones 2 3))                   ; [2, 3] float32
(define b (tensor-ones 4))                     ; [4] float32
(define i [[1 2 3] [4 5 6]])                   ; [2, 3] int64
(define c (tensor-ones 2 3 4))                 ; [2, 3, 4] float32
(define scalar (tensor 1.0))                   ; [] float32

;; Shapes.
(wrong tensor-reshape a 4 2)
; => tensor-reshape: 6 elements do not fit shape (4 2); given self float32 (2 3), shape (4 2)
(wrong tensor-reshape a -1 -1)
; => tensor-reshape: only one size may be -1; given self float32 (2 3), shape (-1 -1)
(wrong tensor-reshape a -1 4)
; => tensor-reshape: 6 elements do not fit shape (-1 4); given self float32 (2 3), shape (-1 4)
(wrong tensor-reshape a "6")
; => tensor-reshape: expected a list of exact integers for shape, got "6"
(wrong tensor-reshape a)
; => tensor-reshape: expected 2 arguments, got 1
(wrong tensor-view (tensor-transpose a 0 1) 6)
; => tensor-view: cannot view this tensor with that shape; given self float32 (3 2), size (6)
(wrong tensor-view a 5)
; => tensor-view: 6 elements do not fit shape (5); given self float32 (2 3), size (5)
(wrong tensor-expand a 3 3)
; => tensor-expand: shape (2 3) does not expand to (3 3)
(wrong tensor-expand a 6)
; => tensor-expand: shape (2 3) does not expand to (6)
(wrong tensor-expand-as a b)
; => tensor-expand-as: shape (2 3) does not expand to (4)
(wrong tensor-permute a 0)
; => tensor-permute: expected 2 dims, got 1; given self float32 (2 3), dims (0)
(wrong tensor-permute a 0 0)
; => tensor-permute: a dim is given twice; given self float32 (2 3), dims (0 0)
(wrong tensor-permute a 0 2)
; => tensor-permute: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dims (0 2)
(wrong tensor-transpose a 0)
; => tensor-transpose: expected 3 arguments, got 2
(wrong tensor-transpose a 0 2)
; => tensor-transpose: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim0 0, dim1 2
(wrong tensor-transpose a 0 1 2)
; => tensor-transpose: expected 3 arguments, got 4
(wrong tensor-transpose a 'x 'y)
; => tensor-transpose: expected an exact integer for dim0, got x
(wrong tensor-t c)
; => tensor-t: expected a tensor of rank 2 or less, got one of rank 3; given self float32 (2 3 4)
(wrong tensor-squeeze a 2)
; => tensor-squeeze: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-unsqueeze a 4)
; => tensor-unsqueeze: dim 4 is out of range for a tensor of rank 2; given self float32 (2 3), dim 4
(wrong tensor-unsqueeze a)
; => tensor-unsqueeze: expected 2 arguments, got 1
(wrong tensor-unsqueeze a :axes 0)
; => tensor-unsqueeze: unknown keyword :axes
(wrong tensor-flatten c 2 1)
; => tensor-flatten: start-dim is after end-dim; given self float32 (2 3 4), start-dim 2, end-dim 1
(wrong tensor-flatten c 0 3)
; => tensor-flatten: dim 3 is out of range for a tensor of rank 3; given self float32 (2 3 4), end-dim 3
(wrong tensor-unflatten a 1 '(2 2))
; => tensor-unflatten: sizes (2 2) do not multiply up to 3, the size of dim 1; given self float32 (2 3), dim 1, sizes (2 2)
(wrong tensor-repeat a 2)
; => tensor-repeat: expected at least one repeat for each dim; given self float32 (2 3), repeats (2)
(wrong tensor-repeat-interleave a -2)
; => tensor-repeat-interleave: repeats must be non-negative; given self float32 (2 3), repeats -2
(wrong tensor-tile a 'x)
; => tensor-tile: expected a list of exact integers for dims, got x
(wrong tensor-flip a 0 0)
; => tensor-flip: dim 0 is given twice; given self float32 (2 3), dims (0 0)
(wrong tensor-flip a 2)
; => tensor-flip: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dims (2)
(wrong tensor-roll a '(1 2) '(0))
; => tensor-roll: expected as many shifts as dims, got 2 shifts and 1 dims; given self float32 (2 3), shifts (1 2), dims 0
(wrong tensor-rot90 b)
; => tensor-rot90: expected total dims >= 2, but got total dims = 1; given self float32 (4)
(wrong tensor-movedim a '(0 1) '(0))
; => tensor-movedim: invalid source or destination dims: source ((0 1) dims) should contain the same number of dims as destination ((0) dims); given self float32 (2 3), source (0 1), destination (0)
(wrong tensor-swapaxes a 0 3)
; => tensor-swapaxes: dim 3 is out of range for a tensor of rank 2; given self float32 (2 3), axis0 0, axis1 3
(wrong tensor-diagonal a 0 1 1)
; => tensor-diagonal: the same dim is given twice: 1 and 1; given self float32 (2 3), dim1 1
(wrong tensor-diagonal b)
; => tensor-diagonal: dim 1 is out of range for a tensor of rank 1; given self float32 (4)
(wrong tensor-diag c)
; => tensor-diag: supports 1-d or 2-d tensors; got 3-d; given self float32 (2 3 4)
(wrong tensor-diag-embed a 0 5 1)
; => tensor-diag-embed: dim 5 is out of range for a tensor of rank 2; given self float32 (2 3), dim1 5, dim2 1
(wrong tensor-tril b)
; => tensor-tril: expected a matrix; given self float32 (4)
(wrong tensor-unfold a 1 4 1)
; => tensor-unfold: size 4 is larger than dim 1, which has 3; given self float32 (2 3), dimension 1, size 4, step 1
(wrong tensor-as-strided b '(5) '(1))
; => tensor-as-strided: a view of that shape needs 20 bytes, the tensor has 16; given self float32 (4), size (5), stride (1)
(wrong tensor-as-strided b '(2 2) '(1))
; => tensor-as-strided: mismatch in length of strides and shape; given self float32 (4), size (2 2), stride (1)
(wrong tensor-broadcast-to a '(3 3))
; => tensor-broadcast-to: shape (2 3) does not expand to (3 3)
(wrong tensor-sum-to-size a '(3 3))
; => tensor-sum-to-size: cannot sum shape (2 3) to shape (3 3)
(wrong tensor-pixel-shuffle a 2)
; => tensor-pixel-shuffle: expected input to have at least 3 dimensions, but got input with 2 dimension(s); given self float32 (2 3), upscale-factor 2
(wrong tensor-channel-shuffle a 2)
; => tensor-channel-shuffle: expected input with > 2 dims, but got input with sizes (2 3)
(wrong tensor-view-as-complex a)
; => tensor-view-as-complex: tensor must have a last dimension of size 2; given self float32 (2 3)
(wrong tensor-view-as-real a)
; => tensor-view-as-real: only supported for complex tensors; given self float32 (2 3)
(wrong tensor-meshgrid (list a))
; => tensor-meshgrid: expected 0-d or 1-d tensor in the tensor list but got float32 (2 3)
(wrong tensor-cartesian-prod (list a))
; => tensor-cartesian-prod: expected a 1-d vector, but got shape (2 3)
(wrong tensor-block-diag c)
; => tensor-block-diag: input tensors must have 2 or fewer dimensions; input 0 has 3 dimensions; given tensors (float32 (2 3 4))

;; Joining and splitting.
(wrong tensor-cat (list a b))
; => tensor-cat: ranks differ: 2 and 1; given tensors (float32 (2 3), float32 (4))
(wrong tensor-cat (list a (tensor-ones 2 4)) 0)
; => tensor-cat: sizes differ outside dim 0: tensor 0 has 3, tensor 1 has 4; given tensors (float32 (2 3), float32 (2 4))
(wrong tensor-cat (list a a) 2)
; => tensor-cat: dim 2 is out of range for a tensor of rank 2; given tensors (float32 (2 3), float32 (2 3)), dim 2
(wrong tensor-cat (list scalar scalar))
; => tensor-cat: cannot join tensor 0 of the list: its rank is 0; given tensors (float32 (), float32 ())
(wrong tensor-cat '())
; => tensor-cat: expected at least one tensor; given tensors ()
(wrong tensor-cat a)
; => tensor-cat: expected a list of tensors for tensors, got a tensor float32 (2 3)
(wrong tensor-cat (list a 1))
; => tensor-cat: expected a list of tensors for tensors, got ([[1.0 1.0 1.0] [1.0 1.0 1.0]] 1)
(wrong tensor-stack (list a b))
; => tensor-stack: shapes differ: tensor 0 has (2 3), tensor 1 has (4)
(wrong tensor-stack (list a a) 5)
; => tensor-stack: dim 5 is out of range for a tensor of rank 3; given tensors (float32 (2 3), float32 (2 3)), dim 5
(wrong tensor-stack '())
; => tensor-stack: expected at least one tensor; given tensors ()
(wrong tensor-hstack (list a c))
; => tensor-hstack: ranks differ: 2 and 3; given tensors (float32 (2 3), float32 (2 3 4))
(wrong tensor-vstack (list a b))
; => tensor-vstack: sizes differ outside dim 0: tensor 0 has 3, tensor 1 has 4; given tensors (float32 (2 3), float32 (4))
(wrong tensor-split a 0 1)
; => tensor-split: split-size can only be 0 if dimension size is 0, but got dimension size of 3; given self float32 (2 3), split-size 0, dim 1
(wrong tensor-split a "1")
; => tensor-split: expected a list of exact integers for split-size, got "1"
(wrong tensor-split-with-sizes a '(1 2) 0)
; => tensor-split-with-sizes: sizes (1 2) do not add up to 2, the size of dim 0; given self float32 (2 3), split-sizes (1 2)
(wrong tensor-chunk a 0)
; => tensor-chunk: expected chunks to be greater than 0, got 0; given self float32 (2 3), chunks 0
(wrong tensor-chunk a 2 3)
; => tensor-chunk: dim 3 is out of range for a tensor of rank 2; given self float32 (2 3), chunks 2, dim 3
(wrong tensor-unbind a 2)
; => tensor-unbind: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-hsplit a 2)
; => tensor-hsplit: attempted to split along dimension 1, but the size of the dimension 3 is not divisible by the split-size 2; given self float32 (2 3), sections 2
(wrong tensor-dsplit a 2)
; => tensor-dsplit: expected a tensor with at least 3 dimension, but got a tensor with 2 dimensions; given self float32 (2 3), sections 2

;; Parts.
(wrong tensor-select a 0 2)
; => tensor-select: index 2 is out of range for dim 0 of shape (2 3)
(wrong tensor-select a 2 0)
; => tensor-select: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2, index 0
(wrong tensor-select scalar 0 0)
; => tensor-select: expected a tensor of rank 1 or more; given self float32 (), dim 0, index 0
(wrong tensor-select a 0)
; => tensor-select: expected 3 arguments, got 2
(wrong tensor-narrow a 1 2 2)
; => tensor-narrow: start 2 and length 2 go beyond size 3; given self float32 (2 3), dim 1, start 2, length 2
(wrong tensor-narrow a 1 4 0)
; => tensor-narrow: expected a start from -3 to 3, got 4; given self float32 (2 3), dim 1, start 4, length 0
(wrong tensor-index-select a 0 [5])
; => tensor-index-select: index 5 is out of range for dim 0 of size 2; given self float32 (2 3), dim 0, index int64 (1)
(wrong tensor-index-select a 0 [1.0])
; => tensor-index-select: expected dtype int64 for index; given self float32 (2 3), dim 0, index float32 (1)
(wrong tensor-index-select a 0 i)
; => tensor-index-select: expected a tensor of rank 1 for index; given self float32 (2 3), dim 0, index int64 (2 3)
(wrong tensor-index-select a 2 [0])
; => tensor-index-select: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2, index int64 (1)
(wrong tensor-index-select a 0)
; => tensor-index-select: expected 3 arguments, got 2
(wrong tensor-masked-select a i)
; => tensor-masked-select: expected dtype bool for mask; given self float32 (2 3), mask int64 (2 3)
(wrong tensor-masked-select a [#t #f])
; => tensor-masked-select: shapes (2 3) and (2) do not broadcast
(wrong tensor-take a [9])
; => tensor-take: index 9 is out of range for a tensor of 6 elements; given self float32 (2 3), index int64 (1)
(wrong tensor-take-along-dim a [[1.0]] 1)
; => tensor-take-along-dim: dtype of indices should be int64 but got float32; given self float32 (2 3), indices float32 (1 1), dim 1
(wrong tensor-gather a 0 [[5 0 0]])
; => tensor-gather: index 5 is out of range for dim 0 of size 2; given self float32 (2 3), dim 0, index int64 (1 3)
(wrong tensor-gather a 0 [0])
; => tensor-gather: index and input differ in rank; given self float32 (2 3), dim 0, index int64 (1)
(wrong tensor-gather a 0 [[0.5]])
; => tensor-gather: expected dtype int64 for index; given self float32 (2 3), dim 0, index float32 (1 1)
(wrong tensor-gather a 0 (tensor-zeros 2 4 :dtype 'int64))
; => tensor-gather: index (2 4) is larger than self (2 3) outside dim 0
(wrong tensor-gather a 7 i)
; => tensor-gather: dim 7 is out of range for a tensor of rank 2; given self float32 (2 3), dim 7, index int64 (2 3)
(wrong tensor-index a (list [5]))
; => tensor-index: index 5 is out of range for dim 0 of size 2; given self float32 (2 3), indices (int64 (1))
(wrong tensor-index a (list [0] [0] [0]))
; => tensor-index: cannot index a tensor of rank 2 with 3 indices; given self float32 (2 3), indices (int64 (1), int64 (1), int64 (1))
(wrong tensor-index a (list [0.5]))
; => tensor-index: expected integers or booleans as indices; given self float32 (2 3), indices (float32 (1))
(wrong tensor-index a (list [#t #f #t]))
; => tensor-index: a mask of shape (3) does not fit a tensor of shape (2 3)

;; Scattering.
(wrong tensor-scatter a 0 [[5 0 0]] 1.0)
; => tensor-scatter: index 5 is out of range for dim 0 of size 2; given self float32 (2 3), dim 0, index int64 (1 3), value 1.0
(wrong tensor-scatter a 0 [[0 1 0]] [[1.0]])
; => tensor-scatter: index (1 3) is larger than self (2 3) outside dim 0; given self float32 (2 3), dim 0, index int64 (1 3), src float32 (1 1)
(wrong tensor-scatter a 0 [0] 1.0)
; => tensor-scatter: index and self differ in rank; given self float32 (2 3), dim 0, index int64 (1), value 1.0
(wrong tensor-scatter-add a 0 [[0.0]] a)
; => tensor-scatter-add: expected dtype int64 for index; given self float32 (2 3), dim 0, index float32 (1 1), src float32 (2 3)
(wrong tensor-scatter-add a 1 [[0 1 2]] i)
; => tensor-scatter-add: dtypes of self and src differ; given self float32 (2 3), dim 1, index int64 (1 3), src int64 (2 3)
(wrong tensor-scatter-reduce a 0 [[0 1 0]] a "median")
; => tensor-scatter-reduce: reduce argument must be either sum, prod, mean, amax or amin, got median; given self float32 (2 3), dim 0, index int64 (1 3), src float32 (2 3), reduce "median"
(wrong tensor-index-add a 0 [0 1] (tensor-ones 1 3))
; => tensor-index-add: index has 2 elements, source has size 1 at that dim; given self float32 (2 3), dim 0, index int64 (2), source float32 (1 3)
(wrong tensor-index-add a 0 [7] (tensor-ones 1 3))
; => tensor-index-add: index 7 is out of range for dim 0 of size 2; given self float32 (2 3), dim 0, index int64 (1), source float32 (1 3)
(wrong tensor-index-copy a 0 [5] (tensor-ones 1 3))
; => tensor-index-copy: index 5 is out of range for dim 0 of size 2; given self float32 (2 3), dim 0, index int64 (1), source float32 (1 3)
(wrong tensor-index-fill a 0 [0.5] 1.0)
; => tensor-index-fill: expected dtype int64 for index; given self float32 (2 3), dim 0, index float32 (1), value 1.0
(wrong tensor-index-put a (list [0]) b)
; => tensor-index-put: values of shape (4) do not broadcast to the indexed part, (1 3); given self float32 (2 3), indices (int64 (1)), values float32 (4)
(wrong tensor-index-put! i (list [0]) [0.5 0.5 0.5])
; => tensor-index-put!: cannot store values of dtype float32 in a tensor of dtype int64; given self int64 (2 3), indices (int64 (1)), values float32 (3)
(wrong tensor-put b [9] [1.0])
; => tensor-put: index 9 is out of range for a tensor of 4 elements; given self float32 (4), index int64 (1), source float32 (1)
(wrong tensor-masked-scatter a i a)
; => tensor-masked-scatter: expected dtype bool for mask, got int64; given self float32 (2 3), mask int64 (2 3), source float32 (2 3)
(wrong tensor-select-scatter a b 0 0)
; => tensor-select-scatter: src (4) does not fit the slice that it replaces, (3); given self float32 (2 3), src float32 (4), dim 0, index 0
(wrong tensor-slice-scatter a b)
; => tensor-slice-scatter: src (4) does not fit the slice that it replaces, (2 3)
(wrong tensor-diagonal-scatter a b)
; => tensor-diagonal-scatter: src (4) does not fit the slice that it replaces, (2); given self float32 (2 3), src float32 (4)

;; Sorting and searching.
(wrong tensor-sort a 2)
; => tensor-sort: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-sort (tensor-to a 'complex64))
; => tensor-sort: not implemented for complex numbers; given self complex64 (2 3)
(wrong tensor-argsort a "x")
; => tensor-argsort: expected an exact integer for dim, got "x"
(wrong tensor-topk b 5)
; => tensor-topk: k is larger than the dim; given self float32 (4), k 5
(wrong tensor-topk b 1 3)
; => tensor-topk: dim 3 is out of range for a tensor of rank 1; given self float32 (4), k 1, dim 3
(wrong tensor-topk b)
; => tensor-topk: expected at least 2 arguments, got 1
(wrong tensor-kthvalue b 9)
; => tensor-kthvalue: k is out of range for dim 0; given self float32 (4), k 9
(wrong tensor-mode a 2)
; => tensor-mode: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-unique-dim a 3)
; => tensor-unique-dim: dim 3 is out of range for a tensor of rank 2; given self float32 (2 3), dim 3
(wrong tensor-searchsorted a b)
; => tensor-searchsorted: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor (2 3) and input value tensor (4)
(wrong tensor-bucketize b a)
; => tensor-bucketize: expected a tensor of rank 1, got one of rank 2; given self float32 (4), boundaries float32 (2 3)
(wrong tensor-one-hot [5] 3)
; => tensor-one-hot: a class is not less than num-classes; given self int64 (1), num-classes 3
(wrong tensor-one-hot [0.5])
; => tensor-one-hot: only applicable to index tensor of type int64; given self float32 (1)
(wrong tensor-nonzero 1)
; => tensor-nonzero: expected a tensor, got 1
(wrong tensor-isin a "x")
; => tensor-isin: expected a tensor for test-elements, got "x"
(wrong tensor-to a 'float31)
; => tensor-to: expected a dtype or a device, got float31
