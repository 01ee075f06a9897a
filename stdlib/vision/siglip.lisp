;; siglip.lisp - SigLIP (Zhai et al. 2023): CLIP whose pairs of an image and a
;; text are judged one by one, so that its logits are those of sigmoids; SigLIP
;; 2 has the same structure where images have one size.

(define (%siglip-of config)
  "The model that the settings of SigLIP describe: a clip with a bias."
  (let* ((image (%siglip-part config "vision_config"))
         (text (%siglip-part config "text_config"))
         (width (%config-size text "hidden_size")))
    (unless (%config-flag image "vision_use_head" #t)
      (%bad-setting "vision_use_head" "true, for images to have vectors" #f))
    (clip config (%siglip-image-of image) (%siglip-text-of text)
          %as-it-is
          (blank-linear width
                        (%config-size text "projection_size"
                                      (%config-size image "hidden_size"))
                        :bias #t)
          :scale (tensor (list (log 10.0)) :dtype 'float32)
          :bias (tensor '(-10.0) :dtype 'float32)
          :rules (list %siglip-name))))

(define (%as-it-is features) features)

(define (%siglip-part config key)
  "The settings of one of both models, with what they leave out."
  (%config-with (%clip-part config key)
                '(("hidden_size" . 768) ("num_attention_heads" . 12)
                  ("hidden_act" . "gelu_pytorch_tanh")
                  ("layer_norm_eps" . 1e-6))))

(define (%siglip-image-of config)
  "The model of images that settings describe."
  (let-values (((image patch grid) (%image-grid config)))
    (let* ((width (%config-size config "hidden_size"))
           (norm (%clip-norms config width)))
      (vision-model config
                    :embeddings (patch-embeddings
                                 (%config-size config "num_channels" 3)
                                 width grid patch :tokens '(0) :flat #t)
                    :layers (%clip-layers config width 12 3072 image-layer)
                    :norm (norm)
                    :pooler (attention-pooler
                             width
                             (%dividing-count config "num_attention_heads"
                                              width "hidden_size")
                             (norm)
                             (plain-mlp width
                                        (%config-size config
                                                      "intermediate_size" 3072)
                                        :activation
                                        (%config-name config "hidden_act"
                                                      "gelu_pytorch_tanh")))))))

(define-module (attention-pooler width heads norm mlp)
  "What a learned vector, the probe, finds by attention to all states, and an MLP
  after it: [n, t, width] -> [n, width]."
  ((heads heads)
   (probe (tensor-zeros 1 1 width) :parameter)
   (in-proj (blank-linear width (* 3 width) :bias #t))
   (out-proj (blank-linear width width :bias #t))
   (norm norm)
   (mlp mlp))
  (forward (states)
    (let-list (((query key value) (tensor-chunk (linear-weight in-proj) 3 0))
               ((query-bias key-bias value-bias)
                (tensor-chunk (linear-bias in-proj) 3 0)))
      (let* ((of (lambda (x weight bias)
                   (%heads-apart (tensor-linear x weight bias) heads)))
             (y (tensor-scaled-dot-product-attention
                 (of (%for-each-image probe (tensor-size states 0)) query
                     query-bias)
                 (of states key key-bias)
                 (of states value value-bias)))
             (x (out-proj (tensor-select (%heads-joined y) 1 0))))
        (+ x (mlp (norm x)))))))

(define-module (siglip-text-model vocabulary width context layers norm)
  "The model of texts: ids int64 [m, t] -> the state of the last token, [m,
  width].  Every token sees all others, those of padding, too, which is learned:
  texts are padded at the right to the context."
  ((words (blank-embedding vocabulary width))
   (positions (blank-embedding context width))
   (context context)
   (layers layers)
   (norm norm))
  (forward (ids)
    (%check-clip-ids ids context)
    (let* ((places (tensor-arange (tensor-size ids 1)
                                  :device (tensor-device ids)))
           (x (fold (lambda (layer x) (layer x %whole-relation))
                    (+ (words ids) (positions places))
                    layers)))
      (norm (tensor-select x 1 -1)))))

(define (%siglip-text-of config)
  "The model of texts that settings describe."
  (let ((width (%config-size config "hidden_size")))
    (siglip-text-model (%config-size config "vocab_size" 32000) width
                       (%config-size config "max_position_embeddings" 64)
                       (%clip-layers config width 12 3072 pre-norm-layer)
                       ((%clip-norms config width)))))

;; Names in files.

(define (%siglip-name name)
  "The name in files of a weight."
  (cond ((string-prefix? "image." name)
         (%siglip-image-name (substring name 6 (string-length name))))
        ((string-prefix? "text." name)
         (%clip-text-name (substring name 5 (string-length name))))
        (else (string-replace name "text_projection." "text_model.head."))))

(define %siglip-image-name
  (encoder-names
   "vision_model."
   `(("embeddings.projection" . "embeddings.patch_embedding")
     ("embeddings.positions" . "embeddings.position_embedding.weight")
     ("norm" . "post_layernorm")
     ("pooler.probe" . "head.probe")
     ("pooler.in_proj.weight" . "head.attention.in_proj_weight")
     ("pooler.in_proj.bias" . "head.attention.in_proj_bias")
     ("pooler.out_proj" . "head.attention.out_proj")
     ("pooler.norm" . "head.layernorm")
     ("pooler.mlp.fc1" . "head.mlp.fc1")
     ("pooler.mlp.fc2" . "head.mlp.fc2")
     . ,%clip-layer-names)))
