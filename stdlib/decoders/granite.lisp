;; granite.lisp - Granite (IBM 2024): Llama whose tokens, scores, layers and
;; logits have factors; and its mixtures of experts.

(define (%granite-of config)
  "The model that the settings of Granite describe."
  (%granite-with config (lambda (layer) (config-mlp config)) '()))

(define (%granite-with config mlp rules)
  "The decoder of Granite; mlp and rules are those of llama-like."
  (let ((bias (%config-flag config "attention_bias" #f))
        (added (%config-number config "residual_multiplier" 1.0)))
    (llama-like
     config
     :mlp mlp
     :rules rules
     :attention (lambda (k)
                  (config-attention config k :bias bias :out-bias bias
                                    :scale (%config-number
                                            config "attention_multiplier"
                                            1.0)))
     :layer (lambda (norm attention mlp)
              (decoder-layer (norm) attention (norm) mlp :scale added))
     :scale (%config-number config "embedding_multiplier" 1.0)
     :logit-scale (/ (%config-number config "logits_scaling" 1.0)))))

(define (%granite-moe-of config)
  "The model that the settings of Granite's mixture of experts describe; with
  shared_intermediate_size, all tokens use one more."
  (let ((count (%config-size config "num_local_experts" 8)))
    (%granite-with
     config
     (lambda (layer) (%granite-experts config count))
     (list '("mlp.shared_expert.gate_up_proj" :from "shared_mlp.input_linear")
           '("mlp.shared_expert.down_proj" :from "shared_mlp.output_linear")
           '(mlp :from block_sparse_moe)
           '(gate :from "router.layer")
           (%stacked-rule count "gate_up_proj" "input_linear")
           (%stacked-rule count "down_proj" "output_linear")))))

(define (%granite-experts config count)
  "The experts of a layer."
  (let* ((config (%config-with config '(("num_experts_per_tok" . 2))))
         (width (%config-size config "hidden_size"))
         (shared (%config-count config "shared_intermediate_size" 0))
         (activation (%config-name config "hidden_act" "silu")))
    (mixture-of-experts
     width
     count
     (%config-experts config count)
     (lambda ()
       (gated-mlp width (%config-size config "intermediate_size")
                  :activation activation))
     :shared (and (> shared 0)
                  (gated-mlp width shared :activation activation))
     :shared-gated #f)))

(define (%stacked-rule count name saved)
  "The rule that the matrices of all experts are one tensor in files."
  (list (map (lambda (k) (string "experts." k "." name)) (range count))
        :from saved :stack #t))
