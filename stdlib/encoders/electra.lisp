;; electra.lisp - ELECTRA (Clark et al. 2020): BERT with vectors of tokens that
;; may be smaller than the states, and without a pooler.

(define (%electra-of config)
  "The encoder that the settings of ELECTRA describe."
  (let* ((width (%config-size config "hidden_size"))
         (inner (%config-size config "embedding_size" 128))
         (model (bert-like config "electra."
                           :embedding-size (and (not (= inner width)) inner)
                           :names %electra-names
                           :word-names %electra-word-names
                           :word-activation "gelu"
                           :heads (%first-token-head width config
                                                     tensor-gelu))))
    (set-text-encoder-pooler! model #f)
    model))

(define %electra-names
  '(("embeddings.project" . "embeddings_project")))

(define %electra-word-names
  '(("word_head.dense" . "generator_predictions.dense")
    ("word_head.norm" . "generator_predictions.LayerNorm")
    ("word_head.bias" . "generator_lm_head.bias")
    ("word_head.table" . "generator_lm_head")))
