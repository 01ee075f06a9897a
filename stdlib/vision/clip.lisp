;; clip.lisp - CLIP (Radford et al. 2021): a model of images and one of texts,
;; whose vectors are near each other where a text describes an image.

(define-module (clip config image text image-projection text-projection
                     :rules '())
  "A model of images and texts.  pixels [n, c, h, w] and ids int64 [m, t] ->
  logits [n, m]: how well each text describes each image.

  image: a vision-model, text: a module of ids, such as clip-text-model; the
  projections give both the same width.  image-features and text-features return
  the vectors; classify-image names images by texts."
  ((config config)
   (image image)
   (text text)
   (image-projection image-projection)
   (text-projection text-projection)
   (logit-scale (tensor (%config-number config "logit_scale_init_value" 2.6592)
                        :dtype 'float32)
                :parameter)
   (rules rules))
  (forward (pixels ids)
    (%image-text-logits self (image-features self pixels)
                   (text-features self ids))))

(define (%image-text-logits model images texts)
  "The logits [n, m] of features of images and texts."
  (* (@ (%at-length-1 images) (tensor-transpose (%at-length-1 texts) 0 1))
     (tensor-exp (clip-logit-scale model))))

(define (%at-length-1 x)
  "The rows at length 1."
  (/ x (tensor-norm x 2 '(-1) #t)))

(define (text-features model ids)
  "A vector for each text, which image-features of the same model compare with:
  ids int64 [m, t], padded at the right after the last token -> [m, width]."
  (unless (clip? model)
    (wrong-type "text-features" "a model of images and texts, such as CLIP"
                model))
  ((clip-text-projection model) ((clip-text model) ids)))

(define-module (clip-text-model vocabulary width context layers norm end)
  "The model of texts: ids int64 [m, t] -> the state of the last token, [m,
  width].  Every token sees those before it, so that padding at the right changes
  nothing.  end: the id of the last token, or #f where it is the largest one."
  ((words (blank-embedding vocabulary width))
   (positions (blank-embedding context width))
   (context context)
   (layers layers)
   (norm norm)
   (end end))
  (forward (ids)
    (%check-clip-ids ids context)
    (let* ((t (tensor-size ids 1))
           (places (tensor-arange t :device (tensor-device ids)))
           (relation (%make-relation
                      (tensor-le (tensor-unsqueeze places 0)
                                 (tensor-unsqueeze places 1))
                      #f #f))
           (x (+ (words ids) (positions places)))
           (x (norm (fold (lambda (layer x) (layer x relation)) x layers)))
           (at (if end
                   (tensor-argmax (tensor-to (tensor-eq ids end) 'int32) 1)
                   (tensor-argmax ids 1))))
      (tensor-squeeze
       (tensor-gather x 1 (tensor-expand (tensor-reshape at '(-1 1 1))
                                         (list -1 1 (tensor-size x 2))))
       1))))

(define (%check-clip-ids ids context)
  "Raise an error unless ids [m, t] fit into the positions."
  (unless (and (tensor? ids) (= (tensor-rank ids) 2)
               (<= 1 (tensor-size ids 1) context))
    (%error-with-hint
     (format "text-features: expected ids [m, t] with t from 1 to ~a, got"
             context)
     (list (if (tensor? ids) (tensor-shape ids) ids))
     (format "(encode-batch tokenizer texts :length ~a) cuts longer texts"
             context))))

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

(define (%clip-text-of config)
  "The model of texts that settings describe."
  (let* ((width (%config-size config "hidden_size" 512))
         (end (config-ref config "eos_token_id" 49407)))
    (clip-text-model (%config-size config "vocab_size" 49408) width
                     (%config-size config "max_position_embeddings" 77)
                     (%clip-layers config width 8 2048 pre-norm-layer)
                     ((%clip-norms config width))
                     (if (memv end '(2 #f)) #f end))))

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
   '(("embeddings.patches.projection" . "embeddings.patch_embedding")
     ("embeddings.patches.first" . "embeddings.class_embedding")
     ("embeddings.patches.positions" . "embeddings.position_embedding.weight")
     ("embeddings.norm" . "pre_layrnorm")
     ("pooler.norm" . "post_layernorm")
     ("layers" . "encoder.layers")
     ("layer.attention.query" . "self_attn.q_proj")
     ("layer.attention.key" . "self_attn.k_proj")
     ("layer.attention.value" . "self_attn.v_proj")
     ("layer.attention.out" . "self_attn.out_proj")
     ("layer.attention_norm" . "layer_norm1")
     ("layer.mlp_norm" . "layer_norm2"))))

(define %clip-text-name
  (encoder-names
   "text_model."
   '(("words" . "embeddings.token_embedding")
     ("positions" . "embeddings.position_embedding")
     ("norm" . "final_layer_norm")
     ("layers" . "encoder.layers")
     ("layer.attention.query" . "self_attn.q_proj")
     ("layer.attention.key" . "self_attn.k_proj")
     ("layer.attention.value" . "self_attn.v_proj")
     ("layer.attention.out" . "self_attn.out_proj")
     ("layer.attention_norm" . "layer_norm1")
     ("layer.mlp_norm" . "layer_norm2"))))
