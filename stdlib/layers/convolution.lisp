;; convolution.lisp - convolutions of one, two and three dimensions.
;;
;; kernel-size, stride, padding and dilation are an integer or a list of one
;; for each dimension.  Inputs have a dimension of examples, or none:
;; [n, c, ...] or [c, ...].

(define %padding-modes '("zeros" "reflect" "replicate" "circular"))

(define (%padding who padding stride)
  "padding as a list of integers, or the strings \"same\" and \"valid\"."
  (let ((padding (if (symbol? padding) (symbol->string padding) padding)))
    (cond ((not (string? padding))
           (%sizes who "padding" padding (length stride) 0))
          ((not (every (lambda (step) (= step 1)) stride))
           (if (equal? padding "same")
               (%error-with-hint
                (string who ": padding \"same\" needs a stride of 1, got")
                (list stride)
                "give :padding as an integer")
               (%choice who "padding" padding '("valid"))))
          (else (%choice who "padding" padding '("same" "valid"))))))

(define (%groups who groups in out)
  "groups, which must divide both numbers of channels."
  (%divisor who "groups" groups "in-channels" in)
  (%divisor who "groups" groups "out-channels" out))

(define (%border mode padding kernel-size dilation)
  "What tensor-pad adds on each side for a mode other than \"zeros\", the last
  dimension first; #f for \"zeros\"."
  (cond ((equal? mode "zeros") #f)
        ((equal? padding "valid") #f)
        ((equal? padding "same")
         (append-map (lambda (size step)
                       (let* ((total (* step (- size 1)))
                              (left (quotient total 2)))
                         (list left (- total left))))
                     (reverse kernel-size) (reverse dilation)))
        (else (append-map (lambda (size) (list size size))
                          (reverse padding)))))

(define-module (conv1d in-channels out-channels kernel-size :stride 1
                       :padding 0 :dilation 1 :groups 1 :bias #t
                       :padding-mode "zeros")
  "A convolution of sequences.  x [n, in-channels, l] -> [n, out-channels, l'],
  where l' = floor((l + 2 padding - dilation (kernel-size - 1) - 1) / stride)
  + 1.

  The arguments are those of conv2d.  (tensor-conv1d x weight bias) applies it
  to a tensor."
  ((in-channels (%positive "conv1d" "in-channels" in-channels))
   (out-channels (%positive "conv1d" "out-channels" out-channels))
   (kernel-size (%sizes "conv1d" "kernel-size" kernel-size 1 1))
   (stride (%sizes "conv1d" "stride" stride 1 1))
   (padding (%padding "conv1d" padding stride))
   (dilation (%sizes "conv1d" "dilation" dilation 1 1))
   (groups (%groups "conv1d" groups in-channels out-channels))
   (padding-mode (%choice "conv1d" "padding-mode" padding-mode
                          %padding-modes))
   (border (%border padding-mode padding kernel-size dilation))
   (weight (%layer-weight (cons* out-channels (quotient in-channels groups)
                           kernel-size))
           :parameter)
   (bias (and bias (%layer-bias weight out-channels)) :parameter))
  (forward (x)
    (if border
        (tensor-conv1d (tensor-pad x border :mode padding-mode) weight bias
                       stride 0 dilation groups)
        (tensor-conv1d x weight bias stride padding dilation groups))))

(define-module (conv2d in-channels out-channels kernel-size :stride 1
                       :padding 0 :dilation 1 :groups 1 :bias #t
                       :padding-mode "zeros")
  "A convolution of images.  x [n, in-channels, h, w] -> [n, out-channels, h',
  w'], where h' = floor((h + 2 padding - dilation (kernel-size - 1) - 1) /
  stride) + 1, and w' the same.

  padding is also \"same\", which keeps the size, or \"valid\", which is 0;
  padding-mode is \"zeros\", \"reflect\", \"replicate\" or \"circular\".
  groups divides both numbers of channels: each group of outputs sees only
  its group of inputs.  weight [out-channels, in-channels / groups, k, k]
  and bias [out-channels] begin uniform within 1 / sqrt(in-channels k k /
  groups) of zero.  (tensor-conv2d x weight bias) applies it to a tensor."
  ((in-channels (%positive "conv2d" "in-channels" in-channels))
   (out-channels (%positive "conv2d" "out-channels" out-channels))
   (kernel-size (%sizes "conv2d" "kernel-size" kernel-size 2 1))
   (stride (%sizes "conv2d" "stride" stride 2 1))
   (padding (%padding "conv2d" padding stride))
   (dilation (%sizes "conv2d" "dilation" dilation 2 1))
   (groups (%groups "conv2d" groups in-channels out-channels))
   (padding-mode (%choice "conv2d" "padding-mode" padding-mode
                          %padding-modes))
   (border (%border padding-mode padding kernel-size dilation))
   (weight (%layer-weight (cons* out-channels (quotient in-channels groups)
                           kernel-size))
           :parameter)
   (bias (and bias (%layer-bias weight out-channels)) :parameter))
  (forward (x)
    (if border
        (tensor-conv2d (tensor-pad x border :mode padding-mode) weight bias
                       stride 0 dilation groups)
        (tensor-conv2d x weight bias stride padding dilation groups))))

(define-module (conv3d in-channels out-channels kernel-size :stride 1
                       :padding 0 :dilation 1 :groups 1 :bias #t
                       :padding-mode "zeros")
  "A convolution of volumes.  x [n, in-channels, d, h, w] -> [n, out-channels,
  d', h', w'].

  The arguments are those of conv2d.  (tensor-conv3d x weight bias) applies it
  to a tensor."
  ((in-channels (%positive "conv3d" "in-channels" in-channels))
   (out-channels (%positive "conv3d" "out-channels" out-channels))
   (kernel-size (%sizes "conv3d" "kernel-size" kernel-size 3 1))
   (stride (%sizes "conv3d" "stride" stride 3 1))
   (padding (%padding "conv3d" padding stride))
   (dilation (%sizes "conv3d" "dilation" dilation 3 1))
   (groups (%groups "conv3d" groups in-channels out-channels))
   (padding-mode (%choice "conv3d" "padding-mode" padding-mode
                          %padding-modes))
   (border (%border padding-mode padding kernel-size dilation))
   (weight (%layer-weight (cons* out-channels (quotient in-channels groups)
                           kernel-size))
           :parameter)
   (bias (and bias (%layer-bias weight out-channels)) :parameter))
  (forward (x)
    (if border
        (tensor-conv3d (tensor-pad x border :mode padding-mode) weight bias
                       stride 0 dilation groups)
        (tensor-conv3d x weight bias stride padding dilation groups))))
