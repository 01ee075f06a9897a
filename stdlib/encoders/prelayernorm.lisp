;; prelayernorm.lisp - RoBERTa-PreLayerNorm (Wettig et al. 2023): RoBERTa whose
;; norms come before attention and MLP.

(define (%roberta-prelayernorm-of config)
  "The encoder that the settings of RoBERTa-PreLayerNorm describe."
  (let ((norm (%encoder-norms config))
        (width (%config-size config "hidden_size")))
    (bert-like config "roberta_prelayernorm." :counted #t
               :word-names %roberta-word-names
               :norm (norm)
               :layer (lambda ()
                        (pre-norm-layer
                         (norm) (%bert-attention config)
                         (norm) (%bert-mlp config)
                         :drop-rate (%config-rate
                                     config "hidden_dropout_prob" 0.1)))
               :names '(("norm" . "LayerNorm")
                        ("layer.attention_norm" . "attention.LayerNorm")
                        ("layer.mlp_norm" . "intermediate.LayerNorm")
                        ("layer.mlp.fc1" . "intermediate.dense"))
               :heads (%first-token-head width config tensor-tanh))))
