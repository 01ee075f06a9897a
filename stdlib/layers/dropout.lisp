;; dropout.lisp - layers that replace elements by zeros at random, in
;; training only.
;;
;; p is the probability of each element, channel or example to be replaced;
;; (dropout 0.2) and (dropout :p 0.2) are the same.  With the same seed, the
;; elements are those that PyTorch replaces.

(define-module (dropout :p 0.5 . given)
  "In training, the layer that zeroes elements (Srivastava et al. 2014).  The
  others are divided by 1 - p.  x of any shape -> the same shape.
  (tensor-dropout x p) applies it to a tensor."
  ((p (%probability "dropout" p given)))
  (forward (x) (tensor-dropout x p (training? self))))

(define-module (dropout1d :p 0.5 . given)
  "In training, the layer that zeroes whole channels of sequences.  x [n, c, l]
  -> the same shape.  (tensor-dropout1d x p) applies it to a tensor."
  ((p (%probability "dropout1d" p given)))
  (forward (x) (tensor-dropout1d x p (training? self))))

(define-module (dropout2d :p 0.5 . given)
  "In training, the layer that zeroes whole channels of images.  x [n, c, h, w]
  -> the same shape.  (tensor-dropout2d x p) applies it to a tensor."
  ((p (%probability "dropout2d" p given)))
  (forward (x) (tensor-dropout2d x p (training? self))))

(define-module (dropout3d :p 0.5 . given)
  "In training, the layer that zeroes whole channels of volumes.  x [n, c, d, h,
  w] -> the same shape.  (tensor-dropout3d x p) applies it to a tensor."
  ((p (%probability "dropout3d" p given)))
  (forward (x) (tensor-dropout3d x p (training? self))))

(define-module (alpha-dropout :p 0.5 . given)
  "In training, the layer that replaces elements by selu's lowest value, and
  keeps mean and variance (Klambauer et al. 2017).  x of any shape -> the same
  shape.  (tensor-alpha-dropout x p) applies it to a tensor."
  ((p (%probability "alpha-dropout" p given)))
  (forward (x) (tensor-alpha-dropout x p (training? self))))

(define-module (feature-alpha-dropout :p 0.5 . given)
  "In training, the layer that replaces whole channels by selu's lowest value,
  and keeps mean and variance.  x [n, c, ...] -> the same shape.
  (tensor-feature-alpha-dropout x p) applies it to a tensor."
  ((p (%probability "feature-alpha-dropout" p given)))
  (forward (x) (tensor-feature-alpha-dropout x p (training? self))))
