;; resnet.lisp - ResNet (He et al. 2016): stages of convolutions, each added to
;; what came in.

(define-module (normed-convolution in out size :stride 1 :activation #f)
  "A convolution without bias, a norm over the batch, which fold-batch-norm! may
  leave out, and an activation or #f: x [n, in, h, w] -> [n, out, h / stride, w /
  stride]."
  ((convolution (blank-conv2d in out size :stride stride
                              :padding (quotient size 2) :bias #f))
   (normalization (batch-norm2d out))
   (activation activation))
  (forward (x)
    (let* ((x (convolution x))
           (x (if normalization (normalization x) x)))
      (if activation (activation x) x))))

(define-module (residual-block layer shortcut activation)
  "Layers whose result is added to what came in, or to what the shortcut, if it
  is not #f, makes of it."
  ((layer layer)
   (shortcut shortcut)
   (activation activation))
  (forward (x)
    (activation (+ (fold (lambda (each x) (each x)) x layer)
                   (if shortcut (shortcut x) x)))))

(define-module (resnet-stem channels width activation)
  "The first layers: images [n, channels, h, w] -> [n, width, h / 4, w / 4]."
  ((channels channels)
   (embedder (normed-convolution channels width 7 :stride 2
                                 :activation activation)))
  (forward (pixels)
    (%check-pixels pixels channels '(1 1))
    (tensor-max-pool2d
     (embedder (tensor-to pixels
                          (tensor-dtype
                           (conv2d-weight
                            (normed-convolution-convolution embedder)))))
     '(3 3) '(2 2) '(1 1))))

(define-module (image-stage layers)
  "Layers of one size of the image, one after another."
  ((layers layers))
  (forward (x) (fold (lambda (layer x) (layer x)) x layers)))

(define (%resnet-of config)
  "The model that the settings of ResNet describe."
  (let* ((activation (%plain-activation (%config-name config "hidden_act"
                                                      "relu")))
         (stem (%config-size config "embedding_size" 64))
         (widths (%config-sizes config "hidden_sizes" '(256 512 1024 2048)))
         (depths (%config-sizes config "depths" '(3 4 6 3)))
         (first-stride (if (%config-flag config "downsample_in_first_stage" #f)
                           2 1)))
    (%check-stages widths depths)
    (vision-model
     config
     :embeddings (resnet-stem (%config-size config "num_channels" 3) stem
                              activation)
     :layers (map (lambda (in out depth k)
                    (%resnet-stage config in out depth
                                   (if (= k 0) first-stride 2) activation))
                  (cons stem widths) widths depths (range (length widths)))
     :pooler %mean-of-places
     :prefix "resnet."
     :rules (list (encoder-names
                   "resnet." '(("layers" . "encoder.stages")
                               ("embeddings.embedder.convolution"
                                . "embedder.embedder.convolution")
                               ("embeddings.embedder.normalization"
                                . "embedder.embedder.normalization"))))
     :heads (%image-heads config (last widths) '("" . "classifier.1")))))

(define (%resnet-stage config in out depth stride activation)
  "A stage; its first block may make the image smaller."
  (image-stage
   (map (lambda (k)
          (if (= k 0)
              (%resnet-block config in out stride activation)
              (%resnet-block config out out 1 activation)))
        (range depth))))

(define (%resnet-block config in out stride activation)
  "A block of the settings."
  (residual-block
   (if (%bottleneck? config)
       (let ((inner (quotient out 4))
             (early (%config-flag config "downsample_in_bottleneck" #f)))
         (list (normed-convolution in inner 1 :stride (if early stride 1)
                                   :activation tensor-relu)
               (normed-convolution inner inner 3 :stride (if early 1 stride)
                                   :activation tensor-relu)
               (normed-convolution inner out 1)))
       (list (normed-convolution in out 3 :stride stride
                                 :activation tensor-relu)
             (normed-convolution out out 3)))
   (and (or (not (= in out)) (not (= stride 1)))
        (normed-convolution in out 1 :stride stride))
   activation))

(define (%bottleneck? config)
  "Whether blocks are narrow inside."
  (let ((type (%config-name config "layer_type" "bottleneck")))
    (unless (member type '("bottleneck" "basic"))
      (%bad-setting "layer_type" "bottleneck or basic" type))
    (equal? type "bottleneck")))

(define (%config-sizes config key default)
  "A setting that must be a list of positive integers."
  (%valid-setting config key (list default)
                  (lambda (x)
                    (and (pair? x) (list? x)
                         (every (lambda (n) (and (exact-integer? n)
                                                 (< 0 n 1000000)))
                                x)))
                  "a list of positive integers"))

(define (%check-stages widths depths)
  "Raise an error unless every stage has a width and a depth."
  (unless (= (length widths) (length depths))
    (%settings-error (format "hidden_sizes and depths must be as long, got ~a \
and ~a numbers" (length widths) (length depths)))))
