;; batch-normalization.lisp - layers that normalize over examples, and keep
;; running statistics for evaluation.
;;
;; Training uses the batch's own mean and variance, and moves running-mean and
;; running-var towards them; evaluation uses the running ones.  The buffers
;; have PyTorch's names and are saved with the model.

(define (%statistics-momentum count momentum)
  "How far the running statistics move in this step, which is counted: by
  momentum, or so that they are means of all steps if that is #f."
  (if count
      (begin
        (tensor-add! count 1)
        (or momentum (/ 1.0 (tensor-item count))))
      (or momentum 0.0)))

(define (%batch-norm x weight bias mean variance count training momentum eps)
  "Normalize by the batch in training or without running statistics, else by
  those."
  (if training
      (begin
        (when (= (tensor-numel x) (tensor-size x 1))
          (%refuse-batch x))
        (tensor-batch-norm x weight bias mean variance #t
                           (%statistics-momentum count momentum) eps #t))
      (tensor-batch-norm x weight bias mean variance (not mean) 0.0 eps #t)))

(define (%refuse-batch x)
  "Raise the error for channels with a single value to normalize over."
  (%error-with-hint
   (string "batch-norm: expected more than one value per channel when "
           "training, got shape")
   (list (tensor-shape x))
   "use larger batches, drop the last small one, or (eval-mode! model)"))

(define-module (batch-norm1d num-features :eps 1e-5 :momentum 0.1 :affine #t
                             :track-running-stats #t)
  "The layer that gives each channel mean 0 and variance 1 over a batch of
  sequences, then multiplies by weight and adds bias (Ioffe and Szegedy 2015).
  x [n, c] or [n, c, l] -> the same shape, where c = num-features.

  The arguments are those of batch-norm2d.  (tensor-batch-norm x mean var)
  applies it to a tensor."
  ((num-features (%positive "batch-norm1d" "num-features" num-features))
   (eps (inexact eps))
   (momentum momentum)
   (weight (and affine (tensor-ones num-features)) :parameter)
   (bias (and affine (tensor-zeros num-features)) :parameter)
   (running-mean (and track-running-stats (tensor-zeros num-features))
                 :buffer)
   (running-var (and track-running-stats (tensor-ones num-features)) :buffer)
   (num-batches-tracked (and track-running-stats (tensor 0)) :buffer))
  (forward (x)
    (unless (and (<= 2 (tensor-rank x) 3)
                 (= (tensor-size x 1) num-features))
      (%check-channels "batch-norm1d" x 2 3 1 num-features))
    (%batch-norm x weight bias running-mean running-var num-batches-tracked
                 (training? self) momentum eps)))

(define-module (batch-norm2d num-features :eps 1e-5 :momentum 0.1 :affine #t
                             :track-running-stats #t)
  "The layer that gives each channel mean 0 and variance 1 over a batch of
  images, then multiplies by weight and adds bias (Ioffe and Szegedy 2015).  x
  [n, c, h, w] -> the same shape, where c = num-features.

  Training uses the mean and the biased variance of the batch.  momentum is how
  far the running statistics move in a step, from 0 to 1; #f makes them means
  over all steps.  :track-running-stats #f keeps none, so that evaluation
  normalizes by the batch, too.  weight begins with ones, bias with zeros;
  :affine #f leaves both out.  (tensor-batch-norm x mean var) applies it to a
  tensor."
  ((num-features (%positive "batch-norm2d" "num-features" num-features))
   (eps (inexact eps))
   (momentum momentum)
   (weight (and affine (tensor-ones num-features)) :parameter)
   (bias (and affine (tensor-zeros num-features)) :parameter)
   (running-mean (and track-running-stats (tensor-zeros num-features))
                 :buffer)
   (running-var (and track-running-stats (tensor-ones num-features)) :buffer)
   (num-batches-tracked (and track-running-stats (tensor 0)) :buffer))
  (forward (x)
    (unless (and (= (tensor-rank x) 4)
                 (= (tensor-size x 1) num-features))
      (%check-channels "batch-norm2d" x 4 4 1 num-features))
    (%batch-norm x weight bias running-mean running-var num-batches-tracked
                 (training? self) momentum eps)))

(define-module (batch-norm3d num-features :eps 1e-5 :momentum 0.1 :affine #t
                             :track-running-stats #t)
  "The layer that gives each channel mean 0 and variance 1 over a batch of
  volumes, then multiplies by weight and adds bias (Ioffe and Szegedy 2015).  x
  [n, c, d, h, w] -> the same shape, where c = num-features.

  The arguments are those of batch-norm2d.  (tensor-batch-norm x mean var)
  applies it to a tensor."
  ((num-features (%positive "batch-norm3d" "num-features" num-features))
   (eps (inexact eps))
   (momentum momentum)
   (weight (and affine (tensor-ones num-features)) :parameter)
   (bias (and affine (tensor-zeros num-features)) :parameter)
   (running-mean (and track-running-stats (tensor-zeros num-features))
                 :buffer)
   (running-var (and track-running-stats (tensor-ones num-features)) :buffer)
   (num-batches-tracked (and track-running-stats (tensor 0)) :buffer))
  (forward (x)
    (unless (and (= (tensor-rank x) 5)
                 (= (tensor-size x 1) num-features))
      (%check-channels "batch-norm3d" x 5 5 1 num-features))
    (%batch-norm x weight bias running-mean running-var num-batches-tracked
                 (training? self) momentum eps)))
