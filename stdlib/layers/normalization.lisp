;; normalization.lisp - layers that normalize over features: they behave the
;; same in training and evaluation.

(define (%shape who x)
  "The sizes of the normalized dimensions, as a list."
  (cond ((and (list? x) (pair? x))
         (for-each (lambda (size) (%positive who "normalized-shape" size)) x)
         x)
        (else (list (%positive who "normalized-shape" x)))))

(define-module (layer-norm normalized-shape :eps 1e-5 :elementwise-affine #t
                           :bias #t)
  "The layer that gives the last dimensions mean 0 and variance 1, then
  multiplies by weight and adds bias (Ba et al. 2016).  x [...,
  normalized-shape] -> the same shape.

  normalized-shape is the size of the last dimension, or a list of the sizes
  of the last few.  weight begins with ones, bias with zeros.
  (tensor-layer-norm x normalized-shape) applies it to a tensor."
  ((normalized-shape (%shape "layer-norm" normalized-shape))
   (eps (inexact eps))
   (weight (and elementwise-affine (tensor-ones normalized-shape)) :parameter)
   (bias (and elementwise-affine bias (tensor-zeros normalized-shape))
         :parameter))
  (forward (x) (tensor-layer-norm x normalized-shape weight bias eps)))

(define-module (rms-norm normalized-shape :eps #f :elementwise-affine #t)
  "The layer that divides by the root mean square over the last dimensions,
  then multiplies by weight (Zhang and Sennrich 2019).  x [...,
  normalized-shape] -> the same shape.

  eps is added to the mean square; #f is the smallest step of x's dtype.
  weight begins with ones.  (tensor-rms-norm x normalized-shape) applies it to
  a tensor."
  ((normalized-shape (%shape "rms-norm" normalized-shape))
   (eps eps)
   (weight (and elementwise-affine (tensor-ones normalized-shape)) :parameter))
  (forward (x) (tensor-rms-norm x normalized-shape weight eps)))

(define-module (group-norm num-groups num-channels :eps 1e-5 :affine #t)
  "The layer that gives each group of channels mean 0 and variance 1, then
  multiplies by weight and adds bias (Wu and He 2018).  x [n, num-channels,
  ...] -> the same shape.

  num-groups divides num-channels.  weight begins with ones, bias with zeros.
  (tensor-group-norm x num-groups) applies it to a tensor."
  ((num-groups (%divisor "group-norm" "num-groups" num-groups
                         "num-channels"
                         (%positive "group-norm" "num-channels" num-channels)))
   (num-channels num-channels)
   (eps (inexact eps))
   (weight (and affine (tensor-ones num-channels)) :parameter)
   (bias (and affine (tensor-zeros num-channels)) :parameter))
  (forward (x)
    (unless (and (> (tensor-rank x) 1) (= (tensor-size x 1) num-channels))
      (error (string "group-norm: expected [n, " num-channels ", ...], got")
             (tensor-shape x)))
    (tensor-group-norm x num-groups weight bias eps)))

(define-module (local-response-norm size :alpha 1e-4 :beta 0.75 :k 1.0)
  "The layer x / (k + alpha m)^beta, where m is the mean of the squares over
  size neighbouring channels (Krizhevsky et al. 2012).  x [n, c, ...] -> the
  same shape.  (tensor-local-response-norm x size) applies it to a tensor."
  ((size (%positive "local-response-norm" "size" size))
   (alpha alpha)
   (beta beta)
   (k k))
  (forward (x) (tensor-local-response-norm x size alpha beta k)))
