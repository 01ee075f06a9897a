;; modernbert.lisp - ModernBERT (Warner et al. 2024): rotary positions, norms
;; before attention and MLP, gates, and layers of which most see only near tokens.

(define (%modernbert-of config)
  "The encoder that the settings of ModernBERT describe."
  (let* ((width (%config-size config "hidden_size"))
         (norm (%modernbert-norms config))
         (types (%modernbert-types config)))
    (text-encoder config
                  :embeddings
                  (text-embeddings (%config-size config "vocab_size") width
                                   :norm (norm)
                                   :drop-rate (%config-rate
                                               config "embedding_dropout" 0.0))
                  :layers (map (lambda (k) (%modernbert-layer config width norm k))
                               (range (length types)))
                  :kinds (map (lambda (type)
                                (if (equal? type "sliding_attention") 1 0))
                              types)
                  :relations
                  (list (rotary-relation
                         (%modernbert-rotation config "full_attention"
                                               "global_rope_theta" 160000.0))
                        (rotary-relation
                         (%modernbert-rotation config "sliding_attention"
                                               "local_rope_theta" 10000.0)
                         :window (quotient (%config-size config
                                                         "local_attention" 128)
                                           2)))
                  :norm (norm)
                  :word-head (%modernbert-word-head config width norm)
                  :context (%config-size config "max_position_embeddings" 8192)
                  :prefix "model."
                  :rules (append %modernbert-rules
                                 (list (encoder-names "model."
                                                      %modernbert-names)))
                  :heads (%modernbert-heads config width norm))))

(define (%modernbert-norms config)
  "A procedure that creates a norm of the settings."
  (let ((width (%config-size config "hidden_size"))
        (eps (%config-number config "norm_eps" 1e-5))
        (bias (%config-flag config "norm_bias" #f)))
    (lambda () (layer-norm width :eps eps :bias bias))))

(define (%modernbert-types config)
  "The type of each layer: some files say that every third one sees all."
  (let* ((layers (%config-size config "num_hidden_layers"))
         (every (%config-size config "global_attn_every_n_layers" 3))
         (types (%config-list config "layer_types"
                              (lambda (type)
                                (member type '("full_attention"
                                               "sliding_attention")))
                              "a list of \"full_attention\" and \
\"sliding_attention\"")))
    (cond ((null? types)
           (map (lambda (k)
                  (if (zero? (remainder k every))
                      "full_attention"
                      "sliding_attention"))
                (range layers)))
          ((= (length types) layers) types)
          (else (%bad-setting "layer_types" (format "~a types" layers) types)))))

(define (%modernbert-rotation config type key theta)
  "The rotary positions of the layers of a type."
  (let* ((settings (hash-copy config))
         (all (config-ref config "rope_parameters" (make-hash-table)))
         (own (and (hash-table? all) (hash-ref all type #f))))
    (hash-delete! settings "rope_parameters")
    (hash-set! settings "rope_theta" (%config-number config key theta))
    (when (hash-table? own) (hash-set! settings "rope_parameters" own))
    (decoder-rotation-of settings)))

(define (%modernbert-layer config width norm k)
  "A layer of the settings; the first has no norm before its attention."
  (let ((bias (%config-flag config "attention_bias" #f))
        (mlp-bias (%config-flag config "mlp_bias" #f)))
    (pre-norm-layer (and (> k 0) (norm))
                    (encoder-attention
                     width
                     (%dividing-count config "num_attention_heads" width
                                      "hidden_size")
                     :bias bias :out-bias bias
                     :drop-rate (%config-rate config "attention_dropout" 0.0))
                    (norm)
                    (gate-and-up-mlp width
                                     (%config-size config "intermediate_size")
                                     :activation (%config-name
                                                  config "hidden_activation"
                                                  "gelu")
                                     :bias mlp-bias :down-bias mlp-bias)
                    :drop-rate (%config-rate config "mlp_dropout" 0.0))))

(define (%modernbert-activation config)
  (%plain-activation (%config-name config "classifier_activation" "gelu")))

(define (%modernbert-word-head config width norm)
  "The head of the masked language model."
  (word-head width width (%config-size config "vocab_size")
             (%modernbert-activation config) :norm (norm)
             :dense-bias (%config-flag config "classifier_bias" #f)
             :bias (%config-flag config "decoder_bias" #t)
             :table (not (%config-flag config "tie_word_embeddings" #t))))

(define (%modernbert-heads config width norm)
  "The heads of ModernBERT, which all have a layer and a norm first."
  (let ((pooling (%config-name config "classifier_pooling" "cls")))
    (unless (member pooling '("cls" "mean"))
      (%bad-setting "classifier_pooling" "\"cls\" or \"mean\"" pooling))
    (lambda (task labels)
      (%new-head (task-head width labels :dense #t
                            :dense-bias (%config-flag config "classifier_bias"
                                                      #f)
                            :activation (%modernbert-activation config)
                            :norm (norm)
                            :pooling (and (eq? task 'text)
                                          (if (equal? pooling "cls")
                                              'first
                                              'mean))
                            :drop-rate (%config-rate
                                        config "classifier_dropout" 0.0))
                 '("dense" . "head.dense") '("norm" . "head.norm")
                 '("out" . "classifier")))))

(define %modernbert-rules
  '((("attention.query" "attention.key" "attention.value") :from "attention.Wqkv")
    (("mlp.gate" "mlp.up") :from "mlp.Wi")))

(define %modernbert-names
  '(("embeddings.words" . "embeddings.tok_embeddings")
    ("norm" . "final_norm")
    ("layer.attention.Wqkv" . "attn.Wqkv")
    ("layer.attention.out" . "attn.Wo")
    ("layer.attention_norm" . "attn_norm")
    ("layer.mlp.down" . "mlp.Wo")
    ("word_head.dense" . "head.dense")
    ("word_head.norm" . "head.norm")
    ("word_head.bias" . "decoder.bias")
    ("word_head.table" . "decoder")))
