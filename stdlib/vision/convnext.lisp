;; convnext.lisp - ConvNeXt (Liu et al. 2022), convolutions with the parts of a
;; transformer, and ConvNeXt V2 (Woo et al. 2023), which compares channels.

(define-module (convnext-layer width :scale #f :activation "gelu" :grn #f
                               :drop-path 0.0)
  "A layer: a convolution of each channel, a norm and an MLP of all channels at
  each place, added to what came in.  x [n, width, h, w] -> the same shape.

  scale: what learned factors of the result begin with, or #f.  grn: whether
  channels are weighed by how strong they are in the whole image."
  ((dwconv (blank-conv2d width width 7 :padding 3 :groups width))
   (layernorm (layer-norm width :eps 1e-6))
   (pwconv1 (blank-linear width (* 4 width) :bias #t))
   (activation (%plain-activation activation))
   (grn (and grn (response-norm (* 4 width))))
   (pwconv2 (blank-linear (* 4 width) width :bias #t))
   (scale (and scale (tensor-full (list width) scale)) :parameter)
   (drop-path drop-path))
  (forward (x)
    (let* ((y (layernorm (tensor-permute (dwconv x) '(0 2 3 1))))
           (y (activation (pwconv1 y)))
           (y (pwconv2 (if grn (grn y) y)))                  ; [n, h, w, width]
           (y (tensor-permute (if scale (* y scale) y) '(0 3 1 2))))
      (+ x (if (training? self) (%drop-path y drop-path) y)))))

(define-module (response-norm width)
  "The global response norm: x [n, h, w, width] -> the same shape."
  ((weight (tensor-zeros (list 1 1 1 width)) :parameter)
   (bias (tensor-zeros (list 1 1 1 width)) :parameter))
  (forward (x)
    (let* ((strengths (tensor-norm x 2 '(1 2) #t))         ; [n, 1, 1, width]
           (shares (/ strengths
                      (+ (tensor-mean strengths '(-1) #t) 1e-6))))
      (+ (* weight (* x shares)) bias x))))

(define-module (channel-norm width eps)
  "A layer norm of the channels at each place: x [n, width, h, w] -> the same
  shape."
  ((norm (layer-norm width :eps eps)))
  (forward (x)
    (tensor-permute (norm (tensor-permute x '(0 2 3 1))) '(0 3 1 2))))

(define-module (convnext-stem channels width patch)
  "The first layer: images [n, channels, h, w] -> [n, width, h / patch, w /
  patch]."
  ((channels channels)
   (patch patch)
   (patches (blank-conv2d channels width patch :stride patch))
   (norm (channel-norm width 1e-6)))
  (forward (pixels)
    (%check-pixels pixels channels patch)
    (norm (patches (tensor-to pixels
                              (tensor-dtype (conv2d-weight patches)))))))

(define-module (convnext-stage downsampling layers)
  "A stage, which may first make the image smaller: downsampling is a list of a
  norm and a convolution, or ()."
  ((downsampling downsampling)
   (layers layers))
  (forward (x)
    (fold (lambda (layer x) (layer x)) x (append downsampling layers))))

(define (%convnext-of config)
  "The model that the settings of ConvNeXt describe."
  (let ((scale (config-ref config "layer_scale_init_value" 1e-6)))
    (%convnext-like config "convnext."
                    :scale (and (real? scale) (> scale 0) (inexact scale)))))

(define (%convnext-v2-of config)
  "The same for version 2."
  (%convnext-like config "convnextv2." :grn #t))

(define (%convnext-like config prefix :scale #f :grn #f)
  "A model with the parts of ConvNeXt; scale and grn are those of a layer."
  (let-values (((image patch grid)
                (%image-grid (%config-with config '(("patch_size" . 4))))))
    (let* ((widths (%config-sizes config "hidden_sizes" '(96 192 384 768)))
           (depths (%config-sizes config "depths" '(3 3 9 3)))
           (rates (%drop-path-rates config (apply + depths)))
           (activation (%config-name config "hidden_act" "gelu")))
      (define (layer width k)
        (convnext-layer width :scale scale :grn grn :activation activation
                        :drop-path (list-ref rates k)))
      (define (stage in out depth first)
        (convnext-stage (if (= first 0)
                            '()
                            (list (channel-norm in 1e-6)
                                  (blank-conv2d in out 2 :stride 2)))
                        (map (lambda (k) (layer out (+ first k)))
                             (range depth))))
      (%check-stages widths depths)
      (vision-model
       config
       :embeddings (convnext-stem (%config-size config "num_channels" 3)
                                  (car widths) patch)
       :layers (let loop ((ins (cons (car widths) widths)) (outs widths)
                          (depths depths) (first 0))
                 (if (null? outs)
                     '()
                     (cons (stage (car ins) (car outs) (car depths) first)
                           (loop (cdr ins) (cdr outs) (cdr depths)
                                 (+ first (car depths))))))
       :pooler (normed-pooler (layer-norm (last widths)
                                          :eps (%config-number
                                                config "layer_norm_eps"
                                                1e-12))
                              %mean-of-places)
       :prefix prefix
       :rules (list %convnext-name (encoder-names prefix %convnext-names))
       :heads (%image-heads config (last widths) '("" . "classifier"))))))

(define (%drop-path-rates config count)
  "How often each layer is skipped in training: more often later."
  (let ((most (inexact (%config-rate config "drop_path_rate" 0.0))))
    (map (lambda (k) (if (= count 1) 0.0 (* most (/ k (- count 1.0)))))
         (range count))))

(define (%convnext-name name)
  "The name without the norm inside a channel-norm, and with that of factors."
  (cond ((string-contains name "downsampling.0.norm.")
         (string-replace name "downsampling.0.norm." "downsampling.0."))
        ((string-suffix? ".scale" name)
         (string (string-drop-right name 5) "layer_scale_parameter"))
        (else name)))

(define %convnext-names
  '(("embeddings.patches" . "embeddings.patch_embeddings")
    ("embeddings.norm.norm" . "embeddings.layernorm")
    ("pooler.norm" . "layernorm")
    ("layers" . "encoder.stages")
    ("layer.downsampling.0" . "downsampling_layer.0")
    ("layer.downsampling.1" . "downsampling_layer.1")))
