;; phi.lisp - Phi 1 and 2 (Li et al. 2023), whose layers compute attention and
;; MLP side by side, and Phi-3 (Abdin et al. 2024), a Llama with joined
;; projections.

(define-module (phi-layer input-layernorm self-attn mlp)
  "A layer of Phi: attention and MLP of the same norm, both added.  x [n, t,
  width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (mlp mlp))
  (forward (x step)
    (let ((normed (input-layernorm x)))
      (+ x (self-attn normed step) (mlp normed)))))

(define (%phi-of config)
  "The model that the settings of Phi describe."
  (let* ((width (%config-size config "hidden_size"))
         (eps (%config-number config "layer_norm_eps" 1e-5))
         (norm (lambda (size) (layer-norm size :eps eps)))
         (vocabulary (%config-size config "vocab_size"))
         (table (blank-embedding vocabulary width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (phi-layer
                             (norm width)
                             (config-attention
                              config k :bias #t :out-bias #t
                              :norm (and (%config-flag config "qk_layernorm" #f)
                                         norm))
                             (plain-mlp width
                                        (%config-size config
                                                      "intermediate_size")
                                        :activation
                                        (%config-name config "hidden_act"
                                                      "gelu_new"))))
                          (range (%config-size config "num_hidden_layers")))
             :norm (norm width)
             :lm-head (blank-linear width vocabulary :bias #t)
             :rotation (decoder-rotation-of config)
             :rules (append '((o_proj :from dense)
                              (q_norm :from q_layernorm)
                              (k_norm :from k_layernorm)
                              (norm :from final_layernorm))
                            (qkv-rules config)
                            (list (base-prefix "model"))))))

(define (%phi3-of config)
  "The model that the settings of Phi-3 describe."
  (let ((bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias #f :joined #t)))
