;; vit.lisp - ViT (Dosovitskiy et al. 2021), a transformer whose tokens are
;; patches of an image, and DeiT (Touvron et al. 2021), which has a second token
;; that learned from a teacher.

(define (%vit-of config)
  "The model that the settings of ViT describe."
  (let ((width (%config-size config "hidden_size")))
    (vit-like config "vit."
              :pooler (token-pooler width
                                    (%config-size config "pooler_output_size"
                                                  width)
                                    :activation
                                    (%pooler-activation config))
              :head-input %first-token-state
              :heads (%image-heads config width '("" . "classifier")))))

(define (%pooler-activation config)
  "The activation of the pooler."
  (let ((name (%config-name config "pooler_act" "tanh")))
    (if (equal? name "tanh") tensor-tanh (%plain-activation name))))

(define (%deit-of config)
  "The same for DeiT."
  (let ((width (%config-size config "hidden_size")))
    (vit-like config "deit."
              :tokens '(2)
              :rules (list '(embeddings.first
                             :from (embeddings.cls_token
                                    embeddings.distillation_token)
                             :dim 1))
              :pooler (token-pooler width width
                                    :activation (%pooler-activation config))
              :head-input (lambda (states) states)
              :heads (lambda (count)
                       (%new-head (two-token-head width count)
                                  '("student" . "cls_classifier")
                                  '("teacher" . "distillation_classifier"))))))

(define-module (two-token-head width count)
  "The mean of the logits of the first two tokens: states [n, t, width] -> [n,
  count].  In training, too."
  ((student (blank-linear width count :bias #t))
   (teacher (blank-linear width count :bias #t)))
  (forward (states)
    (/ (+ (student (tensor-select states 1 0))
          (teacher (tensor-select states 1 1)))
       2.0)))

(define (vit-like config prefix :tokens '(1) :layer #f :names '() :rules '()
                  :pooler #f :head-input #f :heads #f :mask #f
                  :antialias #f :eps 1e-12)
  "A model of patches with the parts of ViT and its names of weights.

  tokens, mask and antialias are those of patch-embeddings.  layer: a procedure that
  creates a layer, %vit-layer's unless given.  names replace those of ViT.  The
  other keywords are vision-model's."
  (let-values (((image patch grid) (%image-grid config)))
    (let ((width (%config-size config "hidden_size"))
          (layer (or layer (lambda () (%vit-layer config)))))
      (vision-model config
                    :embeddings (patch-embeddings
                                 (%config-size config "num_channels" 3) width
                                 grid patch :tokens tokens :mask mask
                                 :antialias antialias
                                 :drop-rate (%config-rate
                                             config "hidden_dropout_prob" 0.0))
                    :layers (map (lambda (k) (layer))
                                 (range (%config-size config
                                                      "num_hidden_layers")))
                    :norm (layer-norm width
                                      :eps (%config-number
                                            config "layer_norm_eps" eps))
                    :pooler pooler
                    :head-input head-input
                    :prefix prefix
                    :rules (append rules
                                   (list (encoder-names
                                          prefix (append %vit-names names))))
                    :heads heads))))

(define (%vit-layer config)
  "A layer of ViT."
  (let* ((width (%config-size config "hidden_size"))
         (eps (%config-number config "layer_norm_eps" 1e-12))
         (norm (lambda () (layer-norm width :eps eps))))
    (image-layer (norm) (%vit-attention config) (norm)
                 (plain-mlp width (%config-size config "intermediate_size"
                                                (* 4 width))
                            :activation (%config-name config "hidden_act"
                                                      "gelu"))
                 :drop-rate (%config-rate config "hidden_dropout_prob" 0.0))))

(define (%vit-attention config)
  "The attention of the settings."
  (let ((width (%config-size config "hidden_size")))
    (encoder-attention width
                       (%dividing-count config "num_attention_heads" width
                                        "hidden_size")
                       :bias (%config-flag config "qkv_bias" #t)
                       :drop-rate (%config-rate
                                   config "attention_probs_dropout_prob"
                                   0.0))))

(define %vit-names
  '(("embeddings.projection" . "embeddings.patch_embeddings.projection")
    ("embeddings.first" . "embeddings.cls_token")
    ("embeddings.positions" . "embeddings.position_embeddings")
    ("layers" . "encoder.layer")
    ("layer.attention.query" . "attention.attention.query")
    ("layer.attention.key" . "attention.attention.key")
    ("layer.attention.value" . "attention.attention.value")
    ("layer.attention.out" . "attention.output.dense")
    ("layer.attention_norm" . "layernorm_before")
    ("layer.mlp.fc1" . "intermediate.dense")
    ("layer.mlp.fc2" . "output.dense")
    ("layer.mlp_norm" . "layernorm_after")
    ("norm" . "layernorm")))
