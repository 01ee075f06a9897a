;; distilbert.lisp - DistilBERT (Sanh et al. 2019): BERT with fewer layers, and
;; without types of tokens.

(define (%distilbert-of config)
  "The encoder that the settings of DistilBERT describe."
  (let* ((width (%config-size config "dim"))
         (norm (lambda () (layer-norm width :eps 1e-12)))
         (drop-rate (%config-rate config "dropout" 0.1))
         (context (%config-size config "max_position_embeddings" 512)))
    (text-encoder config
                  :embeddings
                  (text-embeddings (%config-size config "vocab_size") width
                                   :positions context :norm (norm)
                                   :drop-rate drop-rate)
                  :layers (map (lambda (k)
                                 (%distilbert-layer config width norm
                                                    drop-rate))
                               (range (%config-size config "n_layers")))
                  :word-head
                  (word-head width width (%config-size config "vocab_size")
                             (%distilbert-activation config)
                             :norm (norm)
                             :table (not (%config-flag config
                                                       "tie_word_embeddings"
                                                       #t)))
                  :context context
                  :prefix "distilbert."
                  :rules (list (encoder-names "distilbert." %distilbert-names))
                  :heads (%usual-heads width config
                                       (lambda (labels rate)
                                         (%distilbert-head config width
                                                           labels))))))

(define (%distilbert-activation config)
  (%plain-activation (%config-name config "activation" "gelu")))

(define (%distilbert-layer config width norm drop-rate)
  "A layer of the settings."
  (post-norm-encoder-layer
   (encoder-attention width
                      (%dividing-count config "n_heads" width "dim")
                      :drop-rate (%config-rate config "attention_dropout" 0.1))
   (norm)
   (plain-mlp width (%config-size config "hidden_dim")
              :activation (%config-name config "activation" "gelu"))
   (norm)
   :drop-rate drop-rate))

(define (%distilbert-head config width labels)
  "The head for labels of texts."
  (%new-head (task-head width labels :dense #t :activation tensor-relu
                        :pooling 'first
                        :drop-rate (%config-rate config "seq_classif_dropout"
                                                 0.2))
             '("dense" . "pre_classifier")
             '("out" . "classifier")))

(define %distilbert-names
  '(("embeddings.words" . "embeddings.word_embeddings")
    ("embeddings.positions" . "embeddings.position_embeddings")
    ("embeddings.norm" . "embeddings.LayerNorm")
    ("layers" . "transformer.layer")
    ("layer.attention.query" . "attention.q_lin")
    ("layer.attention.key" . "attention.k_lin")
    ("layer.attention.value" . "attention.v_lin")
    ("layer.attention.out" . "attention.out_lin")
    ("layer.attention_norm" . "sa_layer_norm")
    ("layer.mlp.fc1" . "ffn.lin1")
    ("layer.mlp.fc2" . "ffn.lin2")
    ("layer.norm" . "output_layer_norm")
    ("word_head.dense" . "vocab_transform")
    ("word_head.norm" . "vocab_layer_norm")
    ("word_head.bias" . "vocab_projector.bias")
    ("word_head.table" . "vocab_projector")))
