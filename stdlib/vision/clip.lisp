;; clip.lisp - CLIP (Radford et al. 2021): a model of images and one of texts,
;; whose vectors are near each other where a text describes an image.

(define-module (clip config image text image-projection text-projection
                     :scale #f :bias #f :rules '())
  "A model of images and texts.  pixels [n, c, h, w] and ids int64 [m, t] ->
  logits [n, m]: how well each text describes each image.

  image: a vision-model, text: a module of ids, such as clip-text-model; the
  projections give both the same width.  scale: the tensor whose exponential the
  logits are multiplied by; bias: what is added to them, or #f.  With a bias, as
  SigLIP has it, the sigmoid of a logit is the probability that a text describes
  an image; otherwise the texts are weighed against each other.  image-features
  and text-features return the vectors; classify-image names images by texts."
  ((config config)
   (image image)
   (text text)
   (image-projection image-projection)
   (text-projection text-projection)
   (logit-scale (or scale
                    (tensor (%config-number config "logit_scale_init_value"
                                            2.6592)
                            :dtype 'float32))
                :parameter)
   (logit-bias bias :parameter)
   (rules rules))
  (forward (pixels ids)
    (%image-text-logits self (image-features self pixels)
                   (text-features self ids))))

(define (%image-text-logits model images texts)
  "The logits [n, m] of features of images and texts."
  (let ((logits (* (@ (%at-length-1 images)
                      (tensor-transpose (%at-length-1 texts) 0 1))
                   (tensor-exp (clip-logit-scale model))))
        (bias (clip-logit-bias model)))
    (if bias (+ logits bias) logits)))

(define (%at-length-1 x)
  "The rows at length 1."
  (/ x (tensor-norm x 2 '(-1) #t)))

(define (%clip-of config)
  "The model that the settings of CLIP describe."
  (let* ((image (%clip-part config "vision_config"))
         (text (%clip-part config "text_config"))
         (width (%config-size config "projection_dim" 512)))
    (clip config (%clip-image-of image) (%clip-text-of text)
          (blank-linear (%config-size image "hidden_size" 768) width)
          (blank-linear (%config-size text "hidden_size" 512) width)
          :rules (list %clip-name))))

(define (%clip-part config key)
  "The settings of one of both models."
  (%valid-setting config key (list (make-hash-table)) hash-table? "an object"))

(define (%clip-image-of config)
  "The model of images that settings describe."
  (let-values (((image patch grid)
                (%image-grid (%config-with config '(("patch_size" . 32))))))
    (let* ((width (%config-size config "hidden_size" 768))
           (norm (%clip-norms config width)))
      (vision-model config
                    :embeddings (normed-embeddings
                                 (patch-embeddings
                                  (%config-size config "num_channels" 3)
                                  width grid patch :bias #f :flat #t)
                                 (norm))
                    :layers (%clip-layers config width 12 3072 image-layer)
                    :pooler (normed-pooler (norm) %first-token-state)))))

(define-module (normed-embeddings patches norm)
  "Patches of images and a norm after them."
  ((patches patches)
   (norm norm))
  (forward (pixels) (norm (patches pixels))))

(define (%clip-norms config width)
  "A procedure that creates a norm of the settings."
  (let ((eps (%config-number config "layer_norm_eps" 1e-5)))
    (lambda () (layer-norm width :eps eps))))

(define (%clip-layers config width heads hidden layer)
  "The layers of the settings; layer creates one of its parts."
  (let* ((own (%config-with config `(("num_attention_heads" . ,heads)
                                     ("hidden_size" . ,width))))
         (heads (%dividing-count own "num_attention_heads" width "hidden_size"))
         (hidden (%config-size config "intermediate_size" hidden))
         (activation (%config-name config "hidden_act" "quick_gelu"))
         (drop-rate (%config-rate config "attention_dropout" 0.0))
         (norm (%clip-norms config width)))
    (map (lambda (k)
           (layer (norm) (encoder-attention width heads :drop-rate drop-rate)
                  (norm) (plain-mlp width hidden :activation activation)))
         (range (%config-size config "num_hidden_layers" 12)))))

;; Names in files.

(define (%clip-name name)
  "The name in files of a weight."
  (cond ((string-prefix? "image." name)
         (%clip-image-name (substring name 6 (string-length name))))
        ((string-prefix? "text." name)
         (%clip-text-name (substring name 5 (string-length name))))
        ((string-prefix? "image_projection." name) "visual_projection.weight")
        (else name)))

(define %clip-image-name
  (encoder-names
   "vision_model."
   `(("embeddings.patches.projection" . "embeddings.patch_embedding")
     ("embeddings.patches.first" . "embeddings.class_embedding")
     ("embeddings.patches.positions" . "embeddings.position_embedding.weight")
     ("embeddings.norm" . "pre_layrnorm")
     ("pooler.norm" . "post_layernorm")
     . ,%clip-layer-names)))
