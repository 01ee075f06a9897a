;; pooling.lisp - layers that take the largest or the mean of the elements
;; under a window.
;;
;; kernel-size, stride and padding are an integer or a list of one for each
;; dimension; the stride is the kernel-size unless it is given.  Inputs may
;; lack the dimension of examples.

(define-module (max-pool1d kernel-size :stride #f :padding 0 :dilation 1
                           :return-indices #f :ceil-mode #f)
  "The maxima under a window that moves over sequences.  x [n, c, l] -> [n, c,
  l'].  With :return-indices #t the values are the result and the indices of
  the maxima, for max-unpool1d.  :ceil-mode #t keeps windows that begin inside
  and end outside.  (tensor-max-pool1d x kernel-size) applies it to a tensor."
  ((kernel-size (%sizes "max-pool1d" "kernel-size" kernel-size 1 1))
   (stride (%sizes "max-pool1d" "stride" (or stride kernel-size) 1 1))
   (padding (%sizes "max-pool1d" "padding" padding 1 0))
   (dilation (%sizes "max-pool1d" "dilation" dilation 1 1))
   (return-indices return-indices)
   (ceil-mode ceil-mode))
  (forward (x)
    (if return-indices
        (apply values (tensor-max-pool1d-with-indices
                       x kernel-size stride padding dilation ceil-mode))
        (tensor-max-pool1d x kernel-size stride padding dilation ceil-mode))))

(define-module (max-pool2d kernel-size :stride #f :padding 0 :dilation 1
                           :return-indices #f :ceil-mode #f)
  "The maxima under a window that moves over images.  x [n, c, h, w] -> [n, c,
  h', w'].  With :return-indices #t the values are the result and the indices
  of the maxima, for max-unpool2d.  :ceil-mode #t keeps windows that begin
  inside and end outside.  (tensor-max-pool2d x kernel-size) applies it to a
  tensor."
  ((kernel-size (%sizes "max-pool2d" "kernel-size" kernel-size 2 1))
   (stride (%sizes "max-pool2d" "stride" (or stride kernel-size) 2 1))
   (padding (%sizes "max-pool2d" "padding" padding 2 0))
   (dilation (%sizes "max-pool2d" "dilation" dilation 2 1))
   (return-indices return-indices)
   (ceil-mode ceil-mode))
  (forward (x)
    (if return-indices
        (apply values (tensor-max-pool2d-with-indices
                       x kernel-size stride padding dilation ceil-mode))
        (tensor-max-pool2d x kernel-size stride padding dilation ceil-mode))))

(define-module (max-pool3d kernel-size :stride #f :padding 0 :dilation 1
                           :return-indices #f :ceil-mode #f)
  "The maxima under a window that moves over volumes.  x [n, c, d, h, w] -> [n,
  c, d', h', w'].  With :return-indices #t the values are the result and the
  indices of the maxima, for max-unpool3d.  :ceil-mode #t keeps windows that
  begin inside and end outside.  (tensor-max-pool3d x kernel-size) applies it
  to a tensor."
  ((kernel-size (%sizes "max-pool3d" "kernel-size" kernel-size 3 1))
   (stride (%sizes "max-pool3d" "stride" (or stride kernel-size) 3 1))
   (padding (%sizes "max-pool3d" "padding" padding 3 0))
   (dilation (%sizes "max-pool3d" "dilation" dilation 3 1))
   (return-indices return-indices)
   (ceil-mode ceil-mode))
  (forward (x)
    (if return-indices
        (apply values (tensor-max-pool3d-with-indices
                       x kernel-size stride padding dilation ceil-mode))
        (tensor-max-pool3d x kernel-size stride padding dilation ceil-mode))))

(define-module (avg-pool1d kernel-size :stride #f :padding 0 :ceil-mode #f
                           :count-include-pad #t)
  "The means under a window that moves over sequences.  x [n, c, l] -> [n, c,
  l'].  :count-include-pad #f leaves the padding out of the means.
  (tensor-avg-pool1d x kernel-size) applies it to a tensor."
  ((kernel-size (%sizes "avg-pool1d" "kernel-size" kernel-size 1 1))
   (stride (%sizes "avg-pool1d" "stride" (or stride kernel-size) 1 1))
   (padding (%sizes "avg-pool1d" "padding" padding 1 0))
   (ceil-mode ceil-mode)
   (count-include-pad count-include-pad))
  (forward (x)
    (tensor-avg-pool1d x kernel-size stride padding ceil-mode
                       count-include-pad)))

(define-module (avg-pool2d kernel-size :stride #f :padding 0 :ceil-mode #f
                           :count-include-pad #t :divisor-override #f)
  "The means under a window that moves over images.  x [n, c, h, w] -> [n, c,
  h', w'].  :count-include-pad #f leaves the padding out of the means;
  divisor-override is the number to divide sums by instead.  (tensor-avg-pool2d
  x kernel-size) applies it to a tensor."
  ((kernel-size (%sizes "avg-pool2d" "kernel-size" kernel-size 2 1))
   (stride (%sizes "avg-pool2d" "stride" (or stride kernel-size) 2 1))
   (padding (%sizes "avg-pool2d" "padding" padding 2 0))
   (ceil-mode ceil-mode)
   (count-include-pad count-include-pad)
   (divisor-override divisor-override))
  (forward (x)
    (tensor-avg-pool2d x kernel-size stride padding ceil-mode
                       count-include-pad
                       divisor-override)))

(define-module (avg-pool3d kernel-size :stride #f :padding 0 :ceil-mode #f
                           :count-include-pad #t :divisor-override #f)
  "The means under a window that moves over volumes.  x [n, c, d, h, w] -> [n,
  c, d', h', w'].  :count-include-pad #f leaves the padding out of the means;
  divisor-override is the number to divide sums by instead.  (tensor-avg-pool3d
  x kernel-size) applies it to a tensor."
  ((kernel-size (%sizes "avg-pool3d" "kernel-size" kernel-size 3 1))
   (stride (%sizes "avg-pool3d" "stride" (or stride kernel-size) 3 1))
   (padding (%sizes "avg-pool3d" "padding" padding 3 0))
   (ceil-mode ceil-mode)
   (count-include-pad count-include-pad)
   (divisor-override divisor-override))
  (forward (x)
    (tensor-avg-pool3d x kernel-size stride padding ceil-mode
                       count-include-pad
                       divisor-override)))

(define-module (lp-pool1d norm-type kernel-size :stride #f :ceil-mode #f)
  "The p-norms under a window that moves over sequences, for p = norm-type: (sum
  x^p)^(1/p).  x [n, c, l] -> [n, c, l'].  (tensor-lp-pool1d x norm-type
  kernel-size) applies it to a tensor."
  ((norm-type (%positive-real "lp-pool1d" "norm-type" norm-type))
   (kernel-size (%sizes "lp-pool1d" "kernel-size" kernel-size 1 1))
   (stride (%sizes "lp-pool1d" "stride" (or stride kernel-size) 1 1))
   (ceil-mode ceil-mode))
  (forward (x)
    (tensor-lp-pool1d x norm-type kernel-size stride ceil-mode)))

(define-module (lp-pool2d norm-type kernel-size :stride #f :ceil-mode #f)
  "The p-norms under a window that moves over images, for p = norm-type: (sum
  x^p)^(1/p).  x [n, c, h, w] -> [n, c, h', w'].  (tensor-lp-pool2d x norm-type
  kernel-size) applies it to a tensor."
  ((norm-type (%positive-real "lp-pool2d" "norm-type" norm-type))
   (kernel-size (%sizes "lp-pool2d" "kernel-size" kernel-size 2 1))
   (stride (%sizes "lp-pool2d" "stride" (or stride kernel-size) 2 1))
   (ceil-mode ceil-mode))
  (forward (x)
    (tensor-lp-pool2d x norm-type kernel-size stride ceil-mode)))

(define-module (lp-pool3d norm-type kernel-size :stride #f :ceil-mode #f)
  "The p-norms under a window that moves over volumes, for p = norm-type: (sum
  x^p)^(1/p).  x [n, c, d, h, w] -> [n, c, d', h', w'].  (tensor-lp-pool3d x
  norm-type kernel-size) applies it to a tensor."
  ((norm-type (%positive-real "lp-pool3d" "norm-type" norm-type))
   (kernel-size (%sizes "lp-pool3d" "kernel-size" kernel-size 3 1))
   (stride (%sizes "lp-pool3d" "stride" (or stride kernel-size) 3 1))
   (ceil-mode ceil-mode))
  (forward (x)
    (tensor-lp-pool3d x norm-type kernel-size stride ceil-mode)))
