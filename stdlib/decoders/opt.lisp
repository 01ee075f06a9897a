;; opt.lisp - OPT (Zhang et al. 2022): learned positions from the third row of
;; their table, ReLU; one of the models has its norms after the sums, and
;; vectors of tokens of another width.

(define-module (opt-positions steps width)
  "The vectors of positions: [n, t] or [t] int64 -> [..., width].  The first two
  rows of the table are of padding."
  ((table (blank-embedding (+ steps 2) width) :unnamed))
  (forward (positions) (table (+ positions 2))))

(define-module (sum-norm-layer input-layernorm self-attn
                               post-attention-layernorm mlp)
  "A layer with norms after the sums.  x [n, t, width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (mlp mlp))
  (forward (x step)
    (let ((x (input-layernorm (+ x (self-attn x step)))))
      (post-attention-layernorm (+ x (mlp x))))))

(define-module (opt-end norm project-out)
  "What follows the layers: a norm and a projection, each of which may be #f."
  ((norm norm)
   (project-out project-out))
  (forward (x)
    (let ((x (if norm (norm x) x)))
      (if project-out (project-out x) x))))

(define (%opt-of config)
  "The model that the settings of OPT describe."
  (let* ((width (%config-size config "hidden_size"))
         (narrow (%config-size config "word_embed_proj_dim" width))
         (first (%config-flag config "do_layer_norm_before" #t))
         (last (and first
                    (not (%config-flag config "_remove_final_layer_norm" #f))))
         (layer (if first decoder-layer sum-norm-layer))
         (norm (lambda () (%opt-norm config)))
         (table (blank-embedding (%config-size config "vocab_size") narrow)))
    (decoder config
             :embed-tokens table
             :embed-layer (and (not (= narrow width))
                               (blank-linear narrow width))
             :positions (opt-positions (%config-context config) width)
             :layers (map (lambda (k)
                            (layer (norm) (%opt-attention config k) (norm)
                                   (%opt-mlp config)))
                          (range (%config-size config "num_hidden_layers")))
             :norm (opt-end (and last (norm))
                            (and (not (= narrow width))
                                 (blank-linear width narrow)))
             :lm-head (if (%config-flag config "tie_word_embeddings" #t)
                          (tied-head table)
                          (blank-linear narrow (%config-size config
                                                             "vocab_size")))
             :rules (append %opt-names (qkv-rules config)
                            (list (base-prefix "model.decoder"))))))

(define %opt-names
  '((embed_layer :from project_in)
    (positions :from embed_positions)
    ("norm.project_out" :from project_out)
    ("norm.norm" :from final_layer_norm)
    (input_layernorm :from self_attn_layer_norm)
    (post_attention_layernorm :from final_layer_norm)
    (o_proj :from out_proj)
    ("mlp.fc1" :from fc1)
    ("mlp.fc2" :from fc2)))

(define (%opt-norm config)
  (layer-norm (%config-size config "hidden_size")
              :elementwise-affine
              (%config-flag config "layer_norm_elementwise_affine" #t)))

(define (%opt-attention config layer)
  (let ((bias (%config-flag config "enable_bias" #t)))
    (config-attention config layer :bias bias :out-bias bias)))

(define (%opt-mlp config)
  (plain-mlp (%config-size config "hidden_size")
             (%config-size config "ffn_dim")
             :activation (%config-name config "activation_function" "relu")
             :bias (%config-flag config "enable_bias" #t)))
