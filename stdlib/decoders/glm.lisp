;; glm.lisp - GLM 4 (Team GLM 2024): Llama with joined projections of the MLP,
;; and half of each head rotated, in pairs of neighbours; its version of 2025,
;; glm4, has norms on both sides of attention and MLP.

(define (%glm-of config)
  "The model that the settings of GLM 4 describe."
  (%glm-with config #f '()))

(define (%glm4-of config)
  "The model that the settings of GLM 4 of 2025 describe."
  (%glm-with config %sandwich
             '((post_attention_layernorm :from post_self_attn_layernorm)
               (pre_feedforward_layernorm :from post_attention_layernorm)
               (post_feedforward_layernorm :from post_mlp_layernorm))))

(define (%glm-with config layer rules)
  "The decoder of GLM; layer is that of llama-like."
  (let ((config (%config-with config '(("partial_rotary_factor" . 0.5)
                                       ("head_dim" . 128)
                                       ("num_key_value_heads" . 2)
                                       ("rms_norm_eps" . 1.5625e-7)))))
    (llama-like config
                :bias (%config-flag config "attention_bias" #t)
                :layer layer
                :rotation (decoder-rotation-of config :interleaved #t)
                :joined #t
                :rules (append rules (list (car (qkv-rules config)))))))
