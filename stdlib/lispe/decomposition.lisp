;; decomposition.lisp - the Tucker decomposition by orthogonal iteration (De
;; Lathauwer et al. 2000).

(define (%unfolded x dim)
  "The matrix whose rows are the slices along a dimension.  [size, rest]"
  (tensor-reshape (tensor-movedim x dim 0) (list (tensor-size x dim) -1)))

(define (%multiplied x matrix dim)
  "The product with a matrix [m, size] along a dimension."
  (tensor-movedim (tensor-tensordot matrix x '(1) (list dim)) 0 dim))

(define (%leading x dim rank)
  "The first left singular vectors of the unfolded tensor.  [size, rank]"
  (tensor-slice (car (tensor-linalg-svd (%unfolded x dim) #f)) 1 0 rank))

(define (%ranks x rank)
  "The rank of each dimension, at most its size."
  (let ((given (if (number? rank)
                   (make-list (tensor-rank x) rank)
                   (%sizes rank))))
    (unless (= (length given) (tensor-rank x))
      (%fail "torch_tucker_decomposition: " (length given) " ranks for "
             (tensor-rank x) " dimensions"))
    (map (lambda (r size) (max 1 (min (%integer r) size)))
         given (tensor-shape x))))

(define (torch_tucker_decomposition x rank . options)
  "(core factors) of a tensor: a core of the ranks, and for each dimension a
  factor [size, rank] with orthogonal columns, whose products approach the
  tensor.  options: the most iterations (100), and how small the change of the
  error must be to end (1e-6)."
  (let* ((ranks (%ranks x rank))
         (dims (iota (tensor-rank x)))
         (total (tensor-item (tensor-norm x))))
    (let loop ((k 0)
               (factors (map (lambda (dim r) (%leading x dim r)) dims ranks))
               (before #f))
      (let* ((core (%core x factors))
             (error (%relative-error total core)))
        (if (or (= k (%option options 0 100))
                (and before (< (abs (- before error)) (%option options 1 1e-6))))
            (%list core (%new-list 'list factors))
            (loop (+ k 1) (%improved x factors ranks) error))))))

(define (%core x factors)
  "The tensor multiplied by each factor's transpose."
  (fold (lambda (dim core)
          (%multiplied core (tensor-t (list-ref factors dim)) dim))
        x (iota (length factors))))

(define (%relative-error total core)
  "Orthogonal factors leave the core's part of the norm."
  (let ((kept (tensor-item (tensor-norm core))))
    (if (zero? total)
        0.0
        (/ (sqrt (max 0.0 (- (* total total) (* kept kept)))) total))))

(define (%improved x factors ranks)
  "Each factor computed again, where the others are fixed."
  (fold (lambda (dim factors)
          (let ((others (fold (lambda (other y)
                                (if (= other dim)
                                    y
                                    (%multiplied y (tensor-t (list-ref factors other))
                                                 other)))
                              x (iota (length factors)))))
            (append (take factors dim)
                    (list (%leading others dim (list-ref ranks dim)))
                    (drop factors (+ dim 1)))))
        factors (iota (length factors))))

(define (torch_tucker_reconstruct core factors)
  "The tensor of a core and its factors."
  (let ((matrices (%elements factors)))
    (fold (lambda (dim x) (%multiplied x (list-ref matrices dim) dim))
          core (iota (length matrices)))))

(define (torch_tucker_compression_ratio original core factors)
  "How many times fewer numbers a core and factors are: shapes, the last one a
  list of shapes."
  (let ((count (lambda (shape) (fold * 1 (%sizes shape)))))
    (/ (inexact (count original))
       (fold + (count core) (map count (%elements factors))))))

(define (torch_khatri_rao_product a b)
  "The products of the columns: a [n, r] and b [m, r] -> [n m, r]."
  (unless (= (tensor-size a 1) (tensor-size b 1))
    (%fail "torch_khatri_rao_product: " (tensor-size a 1) " and "
           (tensor-size b 1) " columns"))
  (tensor-reshape (tensor-einsum "ir,jr->ijr" (list a b))
                  (list -1 (tensor-size a 1))))
