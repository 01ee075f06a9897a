;; transposed-convolution.lisp - convolutions that enlarge their inputs: the
;; gradient of a convolution in its input.
;;
;; :output-size asks for one of the sizes that a convolution would shrink to
;; the input's.

(define (%output-padding x output-size output-padding kernel-size stride
                         padding dilation)
  "What is added on one side of each dimension of the result, so that it has
  the output-size, if that is given."
  (if output-size
      (map %missing-size
           (take-right output-size (length kernel-size))
           (map (lambda (size k s p d)
                  (- (+ (* (- size 1) s) (* d (- k 1)) 1) (* 2 p)))
                (take-right (tensor-shape x) (length kernel-size))
                kernel-size stride padding dilation)
           stride)
      output-padding))

(define (%missing-size wanted least stride)
  "What is missing in the smallest size of a dimension: less than the stride."
  (if (< -1 (- wanted least) stride)
      (- wanted least)
      (error (string "conv-transpose: expected a size from " least " to "
                     (+ least stride -1) " in :output-size, got " wanted))))

(define-module (conv-transpose1d in-channels out-channels kernel-size
                                 :stride 1 :padding 0 :output-padding 0
                                 :groups 1 :bias #t :dilation 1)
  "A transposed convolution of sequences.  x [n, in-channels, l] -> [n,
  out-channels, l'], where l' = (l - 1) stride - 2 padding + dilation
  (kernel-size - 1) + output-padding + 1.

  The arguments are those of conv-transpose2d.  (tensor-conv-transpose1d x
  weight bias) applies it to a tensor."
  ((in-channels (%positive "conv-transpose1d" "in-channels" in-channels))
   (out-channels (%positive "conv-transpose1d" "out-channels" out-channels))
   (kernel-size (%sizes "conv-transpose1d" "kernel-size" kernel-size 1 1))
   (stride (%sizes "conv-transpose1d" "stride" stride 1 1))
   (padding (%sizes "conv-transpose1d" "padding" padding 1 0))
   (output-padding (%sizes "conv-transpose1d" "output-padding" output-padding
                           1 0))
   (groups (%groups "conv-transpose1d" groups in-channels out-channels))
   (dilation (%sizes "conv-transpose1d" "dilation" dilation 1 1))
   (weight (%layer-weight (cons* in-channels (quotient out-channels groups)
                           kernel-size))
           :parameter)
   (bias (and bias (%layer-bias weight out-channels)) :parameter))
  (forward (x :output-size #f)
    (tensor-conv-transpose1d
     x weight bias stride padding
     (%output-padding x output-size output-padding kernel-size stride padding
                      dilation)
     groups dilation)))

(define-module (conv-transpose2d in-channels out-channels kernel-size
                                 :stride 1 :padding 0 :output-padding 0
                                 :groups 1 :bias #t :dilation 1)
  "A transposed convolution of images.  x [n, in-channels, h, w] -> [n,
  out-channels, h', w'], where h' = (h - 1) stride - 2 padding + dilation
  (kernel-size - 1) + output-padding + 1, and w' the same.

  A call with :output-size, a list of h' and w', chooses the output-padding
  that makes the result as large.  weight [in-channels, out-channels / groups,
  k, k] and bias [out-channels] begin uniform within 1 / sqrt(out-channels k k
  / groups) of zero.  (tensor-conv-transpose2d x weight bias) applies it to a
  tensor."
  ((in-channels (%positive "conv-transpose2d" "in-channels" in-channels))
   (out-channels (%positive "conv-transpose2d" "out-channels" out-channels))
   (kernel-size (%sizes "conv-transpose2d" "kernel-size" kernel-size 2 1))
   (stride (%sizes "conv-transpose2d" "stride" stride 2 1))
   (padding (%sizes "conv-transpose2d" "padding" padding 2 0))
   (output-padding (%sizes "conv-transpose2d" "output-padding" output-padding
                           2 0))
   (groups (%groups "conv-transpose2d" groups in-channels out-channels))
   (dilation (%sizes "conv-transpose2d" "dilation" dilation 2 1))
   (weight (%layer-weight (cons* in-channels (quotient out-channels groups)
                           kernel-size))
           :parameter)
   (bias (and bias (%layer-bias weight out-channels)) :parameter))
  (forward (x :output-size #f)
    (tensor-conv-transpose2d
     x weight bias stride padding
     (%output-padding x output-size output-padding kernel-size stride padding
                      dilation)
     groups dilation)))

(define-module (conv-transpose3d in-channels out-channels kernel-size
                                 :stride 1 :padding 0 :output-padding 0
                                 :groups 1 :bias #t :dilation 1)
  "A transposed convolution of volumes.  x [n, in-channels, d, h, w] -> [n,
  out-channels, d', h', w'].

  The arguments are those of conv-transpose2d.  (tensor-conv-transpose3d x
  weight bias) applies it to a tensor."
  ((in-channels (%positive "conv-transpose3d" "in-channels" in-channels))
   (out-channels (%positive "conv-transpose3d" "out-channels" out-channels))
   (kernel-size (%sizes "conv-transpose3d" "kernel-size" kernel-size 3 1))
   (stride (%sizes "conv-transpose3d" "stride" stride 3 1))
   (padding (%sizes "conv-transpose3d" "padding" padding 3 0))
   (output-padding (%sizes "conv-transpose3d" "output-padding" output-padding
                           3 0))
   (groups (%groups "conv-transpose3d" groups in-channels out-channels))
   (dilation (%sizes "conv-transpose3d" "dilation" dilation 3 1))
   (weight (%layer-weight (cons* in-channels (quotient out-channels groups)
                           kernel-size))
           :parameter)
   (bias (and bias (%layer-bias weight out-channels)) :parameter))
  (forward (x :output-size #f)
    (tensor-conv-transpose3d
     x weight bias stride padding
     (%output-padding x output-size output-padding kernel-size stride padding
                      dilation)
     groups dilation)))
