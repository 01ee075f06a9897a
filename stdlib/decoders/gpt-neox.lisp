;; gpt-neox.lisp - GPT-NeoX (Black et al. 2022), of which Pythia is: attention
;; and MLP side by side, each after a norm of its own, partly rotated heads,
;; biases; and projections that lie by heads.

(define-module (parallel-layer input-layernorm self-attn
                               post-attention-layernorm mlp)
  "A layer of GPT-NeoX: attention and MLP of the same input, each after its
  norm, both added.  x [n, t, width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (mlp mlp))
  (forward (x step)
    (+ x
       (self-attn (input-layernorm x) step)
       (mlp (post-attention-layernorm x)))))

(define (%gpt-neox-of config)
  "The model that the settings of GPT-NeoX describe."
  (let* ((settings (%config-with config
                                 '(("rope_theta" "rotary_emb_base")
                                   ("partial_rotary_factor" "rotary_pct")
                                   ("partial_rotary_factor" . 0.25))))
         (width (%config-size config "hidden_size"))
         (eps (%config-number config "layer_norm_eps" 1e-5))
         (norm (lambda () (layer-norm width :eps eps)))
         (bias (%config-flag config "attention_bias" #t))
         (layer (if (%config-flag config "use_parallel_residual" #t)
                    parallel-layer
                    decoder-layer))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (layer (norm)
                                   (config-attention settings k :bias bias
                                                     :out-bias bias :grouped #t)
                                   (norm)
                                   (plain-mlp
                                    width
                                    (%config-size config "intermediate_size")
                                    :activation
                                    (%config-name config "hidden_act" "gelu"))))
                          (range (%config-size config "num_hidden_layers")))
             :norm (norm)
             :lm-head (head-of config table #f)
             :rotation (decoder-rotation-of settings)
             :rules (append '((embed_tokens :from embed_in)
                              (norm :from final_layer_norm)
                              ("self_attn.qkv_proj"
                               :from "attention.query_key_value")
                              ("self_attn.o_proj" :from "attention.dense"))
                            %four-times-names
                            (list (base-prefix "gpt_neox"
                                               :head "embed_out"))))))

;; What several models call the matrices of plain-mlp.
(define %four-times-names
  '(("mlp.fc1" :from "mlp.dense_h_to_4h")
    ("mlp.fc2" :from "mlp.dense_4h_to_h")))
