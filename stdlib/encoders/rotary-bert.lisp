;; rotary-bert.lisp - Nomic BERT, GTE and Jina embeddings v3: BERT with rotary
;; positions, the first two with gates.

(define (%nomic-of config)
  "The encoder that the settings of Nomic BERT describe."
  (let* ((config (%nomic-settings config))
         (prefix "nomic_bert."))
    (%rotary-bert config prefix 1000.0 2
                  :bias #f
                  :mlp (lambda ()
                         (%gated-bert-mlp config "silu" #f))
                  :rules '((("attention.query" "attention.key"
                             "attention.value") :from "attention.Wqkv"))
                  :names '(("embeddings.norm" . "emb_ln")
                           ("layers" . "encoder.layers")
                           ("layer.attention.Wqkv" . "attn.Wqkv")
                           ("layer.attention.out" . "attn.out_proj")
                           ("layer.attention_norm" . "norm1")
                           ("layer.mlp.up" . "mlp.fc11")
                           ("layer.mlp.gate" . "mlp.fc12")
                           ("layer.mlp.down" . "mlp.fc2")
                           ("layer.norm" . "norm2")
                           ("word_head.norm"
                            . "cls.predictions.transform.layer_norm")))))

(define %nomic-names
  '(("n_embd" . "hidden_size") ("n_head" . "num_attention_heads")
    ("n_layer" . "num_hidden_layers") ("n_inner" . "intermediate_size")
    ("n_positions" . "max_position_embeddings")
    ("layer_norm_epsilon" . "layer_norm_eps")
    ("rotary_emb_base" . "rope_theta")))

(define (%nomic-settings config)
  "The settings by the names of today: the first files have those of GPT-2."
  (let ((settings (hash-copy config)))
    (for-each (lambda (entry)
                (let ((value (config-ref config (car entry) #f)))
                  (when (and value (not (hash-has-key? config (cdr entry))))
                    (hash-set! settings (cdr entry) value))))
              %nomic-names)
    (hash-delete! settings "n_positions")
    (for-each (lambda (entry)
                (let ((value (config-ref config (car entry) (cdr entry))))
                  (unless (equal? value (cdr entry))
                    (%bad-setting (car entry) (format "~s" (cdr entry)) value))))
              '(("prenorm" . #f) ("rotary_emb_fraction" . 1.0)
                ("qkv_proj_bias" . #f) ("mlp_fc1_bias" . #f)
                ("mlp_fc2_bias" . #f) ("rotary_emb_interleaved" . #f)))
    (unless (hash-has-key? settings "hidden_dropout_prob")
      (hash-set! settings "hidden_dropout_prob" 0.0))
    settings))

(define (%gte-of config)
  "The encoder that the settings of GTE describe."
  (%rotary-bert config "gte." 160000.0 1
                :mlp (lambda () (%gated-bert-mlp config "gelu" #t))
                :rules '((("attention.query" "attention.key" "attention.value")
                          :from "attention.qkv_proj")
                         (("mlp.up" "mlp.gate") :from "mlp.up_gate_proj"))
                :names '(("layer.attention.out" . "attention.o_proj")
                         ("layer.attention_norm" . "attn_ln")
                         ("layer.mlp.down" . "mlp.down_proj")
                         ("layer.norm" . "mlp_ln")
                         ("word_head.dense" . "lm_head.dense")
                         ("word_head.norm" . "lm_head.norm")
                         ("word_head.bias" . "lm_head.decoder.bias")
                         ("word_head.table" . "lm_head.decoder"))))

(define (%jina-of config)
  "The encoder that the settings of Jina embeddings v3 describe."
  (%rotary-bert config "roberta." 20000.0 1
                :mlp (lambda () (%bert-mlp config))
                :rules '((("attention.query" "attention.key" "attention.value")
                          :from "attention.Wqkv"))
                :names (append
                        '(("embeddings.norm" . "emb_ln")
                          ("layers" . "encoder.layers")
                          ("layer.attention.Wqkv" . "mixer.Wqkv")
                          ("layer.attention.out" . "mixer.out_proj")
                          ("layer.attention_norm" . "norm1")
                          ("layer.mlp.fc1" . "mlp.fc1")
                          ("layer.mlp.fc2" . "mlp.fc2")
                          ("layer.norm" . "norm2"))
                        %roberta-word-names)
                :heads (%first-token-head (%config-size config "hidden_size")
                                          config tensor-tanh)))

(define (%rotary-bert config prefix theta types :mlp #f :bias #t :rules '()
                      :names '() :heads #f)
  "An encoder like BERT whose positions are rotary.  theta: the base that
  settings without one mean; types: how many types of tokens."
  (let ((norm (%encoder-norms config))
        (rotary (hash-copy config)))
    (unless (hash-has-key? rotary "rope_theta")
      (hash-set! rotary "rope_theta" theta))
    (bert-like config prefix :positions #f :types types
               :relations (list (rotary-relation (decoder-rotation-of rotary)))
               :layer (lambda ()
                        (post-norm-encoder-layer
                         (%bert-attention config :bias bias) (norm)
                         (mlp) (norm)
                         :drop-rate (%config-rate
                                     config "hidden_dropout_prob" 0.1)))
               :rules rules :names names :heads heads)))

(define (%gated-bert-mlp config activation down-bias)
  "The MLP with gates of the settings."
  (gate-and-up-mlp (%config-size config "hidden_size")
                   (%config-size config "intermediate_size")
                   :activation (%config-name config "hidden_act" activation)
                   :down-bias down-bias))
