;; qwen.lisp - Qwen2 and Qwen3 (Yang et al. 2024 and 2025), and Qwen2's mixture
;; of experts: Llama's layers with biases, or with norms of queries and keys.

(define (%qwen2-of config)
  "The model that the settings of Qwen2 describe."
  (llama-like config :bias #t))

(define (%qwen3-of config)
  "The model that the settings of Qwen3 describe."
  (let ((bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias bias :head-norm #t)))

(define (%qwen2-moe-of config)
  "The model that the settings of Qwen2-MoE describe.  Some of its layers may
  have plain MLPs."
  (llama-like config
              :bias (%config-flag config "qkv_bias" #t)
              :mlp (lambda (layer)
                     (if (%qwen-sparse? config layer)
                         (%qwen-experts config)
                         (config-mlp config)))))

(define (%qwen3-moe-of config)
  "The model that the settings of Qwen3-MoE describe."
  (let ((bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias bias :head-norm #t
                :mlp (lambda (layer)
                       (if (%qwen-sparse? config layer)
                           (%qwen-experts config)
                           (config-mlp config))))))

(define (%qwen-sparse? config layer)
  "Whether a layer has experts."
  (and (not (memv layer (%config-list config "mlp_only_layers"
                                       exact-integer? "a list of integers")))
       (zero? (remainder (+ layer 1)
                         (%config-size config "decoder_sparse_step" 1)))))

(define (%qwen-experts config)
  "The experts of a layer, and for Qwen2 one that all tokens use."
  (let ((shared (%config-size config "shared_expert_intermediate_size" #f))
        (width (%config-size config "hidden_size"))
        (count (%config-size config
                             (if (hash-has-key? config "num_local_experts")
                                 "num_local_experts"      ; newer files
                                 "num_experts"))))
    (mixture-of-experts
     width
     count
     (%config-experts config count)
     (lambda ()
       (gated-mlp width (%config-size config "moe_intermediate_size")
                  :activation (%config-name config "hidden_act" "silu")))
     :normalized (%config-flag config "norm_topk_prob" #f)
     :shared (and shared
                  (gated-mlp width shared
                             :activation (%config-name config "hidden_act"
                                                       "silu"))))))
