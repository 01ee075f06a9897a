;; gemma3.lisp - Gemma 3 (Gemma Team 2025): Gemma 2 without caps of scores, with
;; norms of queries and keys; five layers with windows, whose positions have a
;; base of their own, then one without.  Of folders that also read pictures, the
;; language model is loaded (text-models.lisp).

(define (%gemma3-of config)
  "The model that the settings of Gemma 3's language model describe."
  (let* ((pattern (%config-size config "sliding_window_pattern" 6))
         (config (%with-layer-types (%config-with config %gemma3-defaults)
                                    pattern))
         (norm (%gemma-norms config))
         (bias (%config-flag config "attention_bias" #f))
         (near (%gemma3-near-rotation config)))
    (%refuse-settings config '(("use_bidirectional_attention" #f)
                               ("attn_logit_softcapping" null)))
    (%sandwich-gemma
     config
     (lambda (k)
       (config-attention config k :bias bias :out-bias bias :norm norm
                         :scale (%pre-attention-scale config)
                         :rotation (if (%sliding-layer? config k)
                                       near
                                       'model)))
     (decoder-rotation-of config))))

;; What files leave out.
(define %gemma3-defaults
  '(("vocab_size" . 262208) ("hidden_size" . 2304) ("intermediate_size" . 9216)
    ("num_hidden_layers" . 26) ("num_attention_heads" . 8)
    ("num_key_value_heads" . 4) ("head_dim" . 256) ("sliding_window" . 4096)
    ("max_position_embeddings" . 131072) ("rope_theta" . 1000000.0)
    ("rope_local_base_freq" . 10000.0)
    ("hidden_activation" . "gelu_pytorch_tanh")))

(define (%gemma3-near-rotation config)
  "The positions of layers with windows, which no scaling stretches."
  (let ((near (hash-copy config))
        (types (config-ref config "rope_parameters" #f)))
    (hash-set! near "rope_theta" (config-ref config "rope_local_base_freq"))
    (hash-delete! near "rope_scaling")
    (unless (and (hash-table? types)
                 (hash-has-key? types "sliding_attention"))
      (hash-delete! near "rope_parameters"))
    (decoder-rotation-of near :type "sliding_attention")))
