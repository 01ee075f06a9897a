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
