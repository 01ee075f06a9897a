;; fold-norms.lisp - norms over a batch as part of the layers before them: with
;; running statistics such a norm is a product and a sum for each channel.
;;
;;     norm(w x + b)  =  (s w) x + (s (b - mean) + bias)     s = weight / deviation

(define (fold-batch-norm! module)
  "Let the convolutions of a module do what the norms over a batch right after
  them do, with their running statistics; returns the module.  Results for batches
  differ by rounding only, and come sooner, as a norm reads and writes all of its
  input.

  Found are neighbours in sequential, where identity takes the place of a norm,
  and the blocks of a ResNet.  Left alone are convolutions that the module has in
  several places, norms in training mode, and norms after linear layers, which may
  be of another dimension than the layer's.  The module must be in evaluation
  mode; what was folded learns no more, and is not saved as the model that it
  was."
  (%check-module "fold-batch-norm!" module)
  (when (training? module)
    (%error-with-hint "fold-batch-norm!: the module is in training mode, in which \
norms use the statistics of each batch" '() "(eval-mode! module)"))
  (let* ((holders (map cdr (named-modules module)))
         (used (append-map (lambda (holder) (map cdr (module-children holder)))
                           holders)))
    (no-grad
     (for-each (lambda (holder)
                 (cond ((sequential? holder)
                        (set-sequential-layers!
                         holder
                         (%folded-layers (sequential-layers holder) used)))
                       ((and (normed-convolution? holder)
                             (%folds? (normed-convolution-convolution holder)
                                      (normed-convolution-normalization holder)
                                      used))
                        (%fold! (normed-convolution-convolution holder)
                                (normed-convolution-normalization holder))
                        (set-normed-convolution-normalization! holder #f))))
               holders)))
  module)

(define (%folded-layers layers used)
  "Layers of which no norm follows one that it can be folded into.  used: all
  modules in others, one as often as it is in them."
  (cond ((or (null? layers) (null? (cdr layers))) layers)
        ((%folds? (car layers) (cadr layers) used)
         (%fold! (car layers) (cadr layers))
         (cons* (car layers) identity (%folded-layers (cddr layers) used)))
        (else (cons (car layers) (%folded-layers (cdr layers) used)))))

;; Layers and the norms that may follow them; of a layer its weight and bias.

(define (%fold-rows)
  (list (list conv1d? batch-norm1d? conv1d-weight set-conv1d-weight!
              conv1d-bias set-conv1d-bias!)
        (list conv2d? batch-norm2d? conv2d-weight set-conv2d-weight!
              conv2d-bias set-conv2d-bias!)
        (list conv3d? batch-norm3d? conv3d-weight set-conv3d-weight!
              conv3d-bias set-conv3d-bias!)))

(define (%fold-row layer norm)
  "The row of a layer and the norm after it, or #f."
  (find (lambda (row) (and ((car row) layer) ((cadr row) norm))) (%fold-rows)))

(define (%norm-parts norm)
  "Weight and bias or #f, running mean and variance or #f, and eps."
  (cond ((batch-norm1d? norm)
         (list (batch-norm1d-weight norm) (batch-norm1d-bias norm)
               (batch-norm1d-running-mean norm)
               (batch-norm1d-running-var norm) (batch-norm1d-eps norm)))
        ((batch-norm2d? norm)
         (list (batch-norm2d-weight norm) (batch-norm2d-bias norm)
               (batch-norm2d-running-mean norm)
               (batch-norm2d-running-var norm) (batch-norm2d-eps norm)))
        (else
         (list (batch-norm3d-weight norm) (batch-norm3d-bias norm)
               (batch-norm3d-running-mean norm)
               (batch-norm3d-running-var norm) (batch-norm3d-eps norm)))))

(define (%folds? layer norm used)
  "Whether a norm only computes with running statistics of all outputs of the layer
  before it, which is used once."
  (let ((row (%fold-row layer norm)))
    (and row
         (not (training? norm))
         (= 1 (count (lambda (other) (eq? other layer)) used))
         (let ((mean (caddr (%norm-parts norm))))
           (and mean
                (= (tensor-numel mean)
                   (tensor-size ((caddr row) layer) 0)))))))

(define (%fold! layer norm)
  "Let a layer do what the norm after it does, too."
  (let ((row (%fold-row layer norm)))
    (let-list (((weight bias mean variance eps) (%norm-parts norm)))
      (let* ((old ((list-ref row 2) layer))
             (old-bias ((list-ref row 4) layer))
             (double (lambda (x) (tensor-to (detach x) 'float64)))
             (scale (/ (if weight (double weight) 1.0)
                       (tensor-sqrt (+ (double variance) eps))))
             (column (tensor-reshape
                      scale (cons -1 (make-list (- (tensor-rank old) 1) 1))))
             (shift (* scale (- (if old-bias (double old-bias) 0.0)
                                (double mean))))
             (shift (if bias (+ shift (double bias)) shift)))
        ((list-ref row 3) layer (tensor-to (* column (double old))
                                           (tensor-dtype old)))
        ((list-ref row 5) layer (tensor-to shift (tensor-dtype old)))))))
