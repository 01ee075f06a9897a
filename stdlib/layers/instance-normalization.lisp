;; instance-normalization.lisp - layers that normalize each channel of each
;; example.
;;
;; Inputs may lack the dimension of examples.  With :track-running-stats #t,
;; evaluation uses running statistics, as for batch-norm2d.

(define (%instance-norm x rank weight bias mean variance training momentum
                        eps)
  "Normalize by each example's statistics in training or without running ones,
  else by those.  rank is that of x with a dimension of examples."
  (let ((by-input (or training (not mean))))
    (if (= (tensor-rank x) rank)
        (tensor-instance-norm x weight bias mean variance by-input momentum
                              eps #t)
        (tensor-squeeze
         (tensor-instance-norm (tensor-unsqueeze x 0) weight bias mean
                               variance by-input momentum eps #t)
         0))))

(define-module (instance-norm1d num-features :eps 1e-5 :momentum 0.1
                                :affine #f :track-running-stats #f)
  "The layer that gives each channel of each example mean 0 and variance 1
  (Ulyanov et al. 2016).  x [n, c, l] -> the same shape, where c =
  num-features.

  The arguments are those of instance-norm2d.  (tensor-instance-norm x) applies
  it to a tensor."
  ((num-features (%positive "instance-norm1d" "num-features" num-features))
   (eps (inexact eps))
   (momentum (inexact (or momentum 0.0)))
   (weight (and affine (tensor-ones num-features)) :parameter)
   (bias (and affine (tensor-zeros num-features)) :parameter)
   (running-mean (and track-running-stats (tensor-zeros num-features))
                 :buffer)
   (running-var (and track-running-stats (tensor-ones num-features)) :buffer)
   (num-batches-tracked (and track-running-stats (tensor 0)) :buffer))
  (forward (x)
    (%check-channels "instance-norm1d" x 2 3 -2 num-features)
    (%instance-norm x 3 weight bias running-mean running-var
                    (training? self) momentum eps)))

(define-module (instance-norm2d num-features :eps 1e-5 :momentum 0.1
                                :affine #f :track-running-stats #f)
  "The layer that gives each channel of each example mean 0 and variance 1
  (Ulyanov et al. 2016).  x [n, c, h, w] -> the same shape, where c =
  num-features.

  By default there are neither weight and bias nor running statistics; :affine
  #t and :track-running-stats #t add them.  (tensor-instance-norm x) applies it
  to a tensor."
  ((num-features (%positive "instance-norm2d" "num-features" num-features))
   (eps (inexact eps))
   (momentum (inexact (or momentum 0.0)))
   (weight (and affine (tensor-ones num-features)) :parameter)
   (bias (and affine (tensor-zeros num-features)) :parameter)
   (running-mean (and track-running-stats (tensor-zeros num-features))
                 :buffer)
   (running-var (and track-running-stats (tensor-ones num-features)) :buffer)
   (num-batches-tracked (and track-running-stats (tensor 0)) :buffer))
  (forward (x)
    (%check-channels "instance-norm2d" x 3 4 -3 num-features)
    (%instance-norm x 4 weight bias running-mean running-var
                    (training? self) momentum eps)))

(define-module (instance-norm3d num-features :eps 1e-5 :momentum 0.1
                                :affine #f :track-running-stats #f)
  "The layer that gives each channel of each example mean 0 and variance 1
  (Ulyanov et al. 2016).  x [n, c, d, h, w] -> the same shape, where c =
  num-features.

  The arguments are those of instance-norm2d.  (tensor-instance-norm x) applies
  it to a tensor."
  ((num-features (%positive "instance-norm3d" "num-features" num-features))
   (eps (inexact eps))
   (momentum (inexact (or momentum 0.0)))
   (weight (and affine (tensor-ones num-features)) :parameter)
   (bias (and affine (tensor-zeros num-features)) :parameter)
   (running-mean (and track-running-stats (tensor-zeros num-features))
                 :buffer)
   (running-var (and track-running-stats (tensor-ones num-features)) :buffer)
   (num-batches-tracked (and track-running-stats (tensor 0)) :buffer))
  (forward (x)
    (%check-channels "instance-norm3d" x 4 5 -4 num-features)
    (%instance-norm x 5 weight bias running-mean running-var
                    (training? self) momentum eps)))
