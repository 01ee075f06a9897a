;; adaptive-pooling.lisp - pooling to a result of a given size, and back.
;;
;; An adaptive layer chooses its windows so that they cover the input evenly.
;; output-size is an integer or a list of one for each dimension; #f in the
;; list keeps the input's size.

(define (%output-size who output-size n)
  "output-size as a list of n positive integers or #f."
  (if (and (list? output-size) (= (length output-size) n))
      (map (lambda (size) (and size (%positive who "output-size" size)))
           output-size)
      (%sizes who "output-size" output-size n 1)))

(define (%output-ratio who output-size output-ratio)
  "output-ratio, which must be given unless output-size is."
  (if (or output-size output-ratio)
      output-ratio
      (error (string who ": expected :output-size or :output-ratio"))))

(define-module (adaptive-max-pool1d output-size :return-indices #f)
  "The maxima of as many windows as output-size says, over sequences.  x [n, c,
  l] -> [n, c, l'].  With :return-indices #t the values are the result and the
  indices of the maxima.  (tensor-adaptive-max-pool1d x output-size) applies it
  to a tensor."
  ((output-size (%output-size "adaptive-max-pool1d" output-size 1))
   (return-indices return-indices))
  (forward (x)
    (if return-indices
        (apply values (tensor-adaptive-max-pool1d x output-size #t))
        (tensor-adaptive-max-pool1d x output-size #f))))

(define-module (adaptive-max-pool2d output-size :return-indices #f)
  "The maxima of as many windows as output-size says, over images.  x [n, c, h,
  w] -> [n, c, h', w'].  With :return-indices #t the values are the result and
  the indices of the maxima.  (tensor-adaptive-max-pool2d x output-size)
  applies it to a tensor."
  ((output-size (%output-size "adaptive-max-pool2d" output-size 2))
   (return-indices return-indices))
  (forward (x)
    (if return-indices
        (apply values (tensor-adaptive-max-pool2d x output-size #t))
        (tensor-adaptive-max-pool2d x output-size #f))))

(define-module (adaptive-max-pool3d output-size :return-indices #f)
  "The maxima of as many windows as output-size says, over volumes.  x [n, c, d,
  h, w] -> [n, c, d', h', w'].  With :return-indices #t the values are the
  result and the indices of the maxima.  (tensor-adaptive-max-pool3d x
  output-size) applies it to a tensor."
  ((output-size (%output-size "adaptive-max-pool3d" output-size 3))
   (return-indices return-indices))
  (forward (x)
    (if return-indices
        (apply values (tensor-adaptive-max-pool3d x output-size #t))
        (tensor-adaptive-max-pool3d x output-size #f))))

(define-module (adaptive-avg-pool1d output-size)
  "The means of as many windows as output-size says, over sequences.  x [n, c,
  l] -> [n, c, l'].  (tensor-adaptive-avg-pool1d x output-size) applies it to a
  tensor."
  ((output-size (%output-size "adaptive-avg-pool1d" output-size 1)))
  (forward (x) (tensor-adaptive-avg-pool1d x output-size)))

(define-module (adaptive-avg-pool2d output-size)
  "The means of as many windows as output-size says, over images.  x [n, c, h,
  w] -> [n, c, h', w'].  (tensor-adaptive-avg-pool2d x output-size) applies it
  to a tensor."
  ((output-size (%output-size "adaptive-avg-pool2d" output-size 2)))
  (forward (x) (tensor-adaptive-avg-pool2d x output-size)))

(define-module (adaptive-avg-pool3d output-size)
  "The means of as many windows as output-size says, over volumes.  x [n, c, d,
  h, w] -> [n, c, d', h', w'].  (tensor-adaptive-avg-pool3d x output-size)
  applies it to a tensor."
  ((output-size (%output-size "adaptive-avg-pool3d" output-size 3)))
  (forward (x) (tensor-adaptive-avg-pool3d x output-size)))

(define-module (max-unpool1d kernel-size :stride #f :padding 0)
  "The layer that puts maxima of sequences back where max-pool1d found them,
  between zeros.  It is called with the maxima and their indices, and
  :output-size, the shape to return to, where several are possible.  x [n, c,
  l'], indices [n, c, l'] -> [n, c, l].  (tensor-max-unpool1d x indices
  :kernel-size kernel-size) applies it to a tensor."
  ((kernel-size (%sizes "max-unpool1d" "kernel-size" kernel-size 1 1))
   (stride (%sizes "max-unpool1d" "stride" (or stride kernel-size) 1 1))
   (padding (%sizes "max-unpool1d" "padding" padding 1 0)))
  (forward (x indices :output-size #f)
    (tensor-max-unpool1d x indices :kernel-size kernel-size :stride stride
                        :padding padding :output-size output-size)))

(define-module (max-unpool2d kernel-size :stride #f :padding 0)
  "The layer that puts maxima of images back where max-pool2d found them,
  between zeros.  It is called with the maxima and their indices, and
  :output-size, the shape to return to, where several are possible.  x [n, c,
  h', w'], indices [n, c, h', w'] -> [n, c, h, w].  (tensor-max-unpool2d x
  indices :kernel-size kernel-size) applies it to a tensor."
  ((kernel-size (%sizes "max-unpool2d" "kernel-size" kernel-size 2 1))
   (stride (%sizes "max-unpool2d" "stride" (or stride kernel-size) 2 1))
   (padding (%sizes "max-unpool2d" "padding" padding 2 0)))
  (forward (x indices :output-size #f)
    (tensor-max-unpool2d x indices :kernel-size kernel-size :stride stride
                        :padding padding :output-size output-size)))

(define-module (max-unpool3d kernel-size :stride #f :padding 0)
  "The layer that puts maxima of volumes back where max-pool3d found them,
  between zeros.  It is called with the maxima and their indices, and
  :output-size, the shape to return to, where several are possible.  x [n, c,
  d', h', w'], indices [n, c, d', h', w'] -> [n, c, d, h, w].
  (tensor-max-unpool3d x indices :kernel-size kernel-size) applies it to a
  tensor."
  ((kernel-size (%sizes "max-unpool3d" "kernel-size" kernel-size 3 1))
   (stride (%sizes "max-unpool3d" "stride" (or stride kernel-size) 3 1))
   (padding (%sizes "max-unpool3d" "padding" padding 3 0)))
  (forward (x indices :output-size #f)
    (tensor-max-unpool3d x indices :kernel-size kernel-size :stride stride
                        :padding padding :output-size output-size)))

(define-module (fractional-max-pool2d kernel-size :output-size #f
                                      :output-ratio #f :return-indices #f)
  "The maxima under windows of random positions over images (Graham 2014), as
  many as output-size says, or output-ratio times the input's size.  x [n, c,
  h, w] -> [n, c, h', w'].  With :return-indices #t the values are the result
  and the indices of the maxima.  (tensor-fractional-max-pool2d x kernel-size
  output-size) applies it to a tensor."
  ((kernel-size (%sizes "fractional-max-pool2d" "kernel-size" kernel-size 2 1))
   (output-size (and output-size
                     (%output-size "fractional-max-pool2d" output-size 2)))
   (output-ratio (%output-ratio "fractional-max-pool2d" output-size
                                 output-ratio))
   (return-indices return-indices))
  (forward (x)
    (let ((results (tensor-fractional-max-pool2d
                    x kernel-size :output-size output-size
                    :output-ratio output-ratio :return-indices #t)))
      (if return-indices
          (apply values results)
          (car results)))))

(define-module (fractional-max-pool3d kernel-size :output-size #f
                                      :output-ratio #f :return-indices #f)
  "The maxima under windows of random positions over volumes (Graham 2014), as
  many as output-size says, or output-ratio times the input's size.  x [n, c,
  d, h, w] -> [n, c, d', h', w'].  With :return-indices #t the values are the
  result and the indices of the maxima.  (tensor-fractional-max-pool3d x
  kernel-size output-size) applies it to a tensor."
  ((kernel-size (%sizes "fractional-max-pool3d" "kernel-size" kernel-size 3 1))
   (output-size (and output-size
                     (%output-size "fractional-max-pool3d" output-size 3)))
   (output-ratio (%output-ratio "fractional-max-pool3d" output-size
                                 output-ratio))
   (return-indices return-indices))
  (forward (x)
    (let ((results (tensor-fractional-max-pool3d
                    x kernel-size :output-size output-size
                    :output-ratio output-ratio :return-indices #t)))
      (if return-indices
          (apply values results)
          (car results)))))
