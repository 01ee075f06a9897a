;; distances.lisp - layers that compare two tensors.

(define-module (cosine-similarity :dim 1 :eps 1e-8)
  "The layer of two tensors that calculates the cosine of the angle between
  their vectors along dim.  x and y [n, d, ...] -> [n, ...].
  (tensor-cosine-similarity a b) applies it to a tensor."
  ((dim dim)
   (eps eps))
  (forward (x y) (tensor-cosine-similarity x y dim eps)))

(define-module (pairwise-distance :p 2.0 :eps 1e-6 :keepdim #f)
  "The layer of two tensors that calculates the p-norm of their difference
  along the last dimension.  x and y [n, d] -> [n]; eps is added to each
  difference.  (tensor-pairwise-distance a b) applies it to a tensor."
  ((p (inexact (%positive-real "pairwise-distance" "p" p)))
   (eps eps)
   (keepdim keepdim))
  (forward (x y) (tensor-pairwise-distance x y p eps keepdim)))
