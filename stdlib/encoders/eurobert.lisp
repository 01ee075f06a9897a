;; eurobert.lisp - EuroBERT (Boizard et al. 2025): the layers of Llama, with
;; attention to both sides.

(define (%eurobert-of config)
  "The encoder that the settings of EuroBERT describe."
  (let-values (((heads kv-heads size) (%config-heads config)))
    (let* ((width (%config-size config "hidden_size"))
           (eps (%config-number config "rms_norm_eps" 1e-5))
           (norm (lambda () (llm-norm width :eps eps)))
           (vocabulary (%config-size config "vocab_size")))
      (unless (= (* size heads) width)
        (%bad-setting "head_dim" "hidden_size / num_attention_heads" size))
      (text-encoder config
                    :embeddings (text-embeddings vocabulary width)
                    :layers (map (lambda (k)
                                   (%eurobert-layer config width heads kv-heads
                                                    norm))
                                 (range (%config-size config
                                                      "num_hidden_layers")))
                    :relations (list (rotary-relation
                                      (decoder-rotation-of config)))
                    :norm (norm)
                    :word-head
                    (word-head width width vocabulary #f :dense #f
                               :bias (%config-flag config "mlp_bias" #f)
                               :table (not (%config-flag
                                            config "tie_word_embeddings" #f)))
                    :context (%config-context config)
                    :prefix "model."
                    :rules (list (encoder-names "model." %eurobert-names))
                    :heads (%eurobert-heads config width)))))

(define (%eurobert-layer config width heads kv-heads norm)
  "A layer of the settings."
  (let ((bias (%config-flag config "attention_bias" #f))
        (mlp-bias (%config-flag config "mlp_bias" #f)))
    (pre-norm-layer (norm)
                    (encoder-attention width heads :kv-heads kv-heads
                                       :bias bias :out-bias bias
                                       :drop-rate (%config-rate
                                                   config "attention_dropout"
                                                   0.0))
                    (norm)
                    (gate-and-up-mlp width
                                     (%config-size config "intermediate_size")
                                     :activation (%config-name config
                                                               "hidden_act"
                                                               "silu")
                                     :bias mlp-bias :down-bias mlp-bias))))

(define (%eurobert-heads config width)
  "The heads of EuroBERT: a text's may be of the mean of all tokens' labels."
  (let* ((name (%config-name config "classifier_pooling" "late"))
         (pooling (assoc name '(("bos" . first) ("mean" . mean)
                                ("late" . late)))))
    (unless pooling
      (%bad-setting "classifier_pooling" "\"bos\", \"mean\" or \"late\"" name))
    (lambda (task labels)
      (if (eq? task 'text)
          (%new-head (task-head width labels :dense #t :activation tensor-gelu
                                :pooling (cdr pooling))
                     '("dense" . "dense") '("out" . "classifier"))
          (%new-head (task-head width labels) '("out" . "classifier"))))))

(define %eurobert-names
  '(("embeddings.words" . "embed_tokens")
    ("layer.attention_norm" . "input_layernorm")
    ("layer.attention.query" . "self_attn.q_proj")
    ("layer.attention.key" . "self_attn.k_proj")
    ("layer.attention.value" . "self_attn.v_proj")
    ("layer.attention.out" . "self_attn.o_proj")
    ("layer.mlp_norm" . "post_attention_layernorm")
    ("layer.mlp.gate" . "mlp.gate_proj")
    ("layer.mlp.up" . "mlp.up_proj")
    ("layer.mlp.down" . "mlp.down_proj")
    ("word_head.bias" . "lm_head.bias")
    ("word_head.table" . "lm_head")))
