;; bloom.lisp - BLOOM (Le Scao et al. 2022): ALiBi instead of positions, a norm
;; of the vectors of tokens, projections that lie by heads.

(define-module (normed-sum-layer input-layernorm self-attn
                                 post-attention-layernorm mlp)
  "A layer that adds to what its norms return, not to what they get.  x [n, t,
  width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (mlp mlp))
  (forward (x step)
    (let* ((x (input-layernorm x))
           (x (post-attention-layernorm (+ x (self-attn x step)))))
      (+ x (mlp x)))))

(define (%bloom-of config)
  "The model that the settings of BLOOM describe."
  (%refuse-settings config '(("slow_but_exact" #f)))
  (let* ((settings (%config-with config
                                 '(("hidden_size" "n_embed")
                                   ("num_attention_heads" "n_head")
                                   ("num_hidden_layers" "n_layer"))))
         (width (%config-size settings "hidden_size"))
         (heads (%config-size settings "num_attention_heads"))
         (eps (%config-number config "layer_norm_epsilon" 1e-5))
         (norm (lambda () (layer-norm width :eps eps)))
         (layer (if (%config-flag config
                                  "apply_residual_connection_post_layernorm" #f)
                    normed-sum-layer
                    decoder-layer))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :embed-layer (norm)
             :layers (map (lambda (k)
                            (layer (norm)
                                   (config-attention
                                    settings k :bias #t :out-bias #t :grouped #t
                                    :key-bias (linear-key-bias heads))
                                   (norm)
                                   (plain-mlp width (* 4 width)
                                              :activation "gelu_new")))
                          (range (%config-size settings "num_hidden_layers")))
             :norm (norm)
             :lm-head (if (%config-flag config "tie_word_embeddings" #t)
                          (tied-head table)
                          (blank-linear width
                                        (%config-size config "vocab_size")))
             :rules (append '((embed_tokens :from word_embeddings)
                              (embed_layer :from word_embeddings_layernorm)
                              (layers :from h)
                              (norm :from ln_f)
                              ("self_attn.qkv_proj"
                               :from "self_attention.query_key_value")
                              ("self_attn.o_proj"
                               :from "self_attention.dense"))
                            %four-times-names
                            (list (base-prefix "transformer"))))))
