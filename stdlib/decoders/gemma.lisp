;; gemma.lisp - Gemma and Gemma 2 (Gemma Team 2024): norms that add 1 to their
;; weight, scaled vectors of tokens, a tied head; and in Gemma 2 norms on both
;; sides of attention and MLP, capped scores, and windows in every other layer.
;; Gemma 3 (Gemma Team 2025) has no caps of scores, but norms of queries and
;; keys; five layers with windows, whose positions have a base of their own,
;; then one without.

(define (%gemma-of config)
  "The model that the settings of Gemma describe."
  (let ((bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias bias :tied #t
                :norm (%gemma-norms config)
                :mlp (lambda (layer) (%gemma-mlp config))
                :scale (%gemma-scale config))))

(define (%gemma-norms config)
  "A procedure that creates a norm of the settings."
  (let ((eps (%config-number config "rms_norm_eps" 1e-6)))
    (lambda (size) (llm-norm size :eps eps :offset 1.0))))

(define (%gemma-mlp config)
  "The MLP of the settings.  The first models say gelu, and mean its tanh
  approximation."
  (let ((activation (%config-name config "hidden_activation"
                                  (%config-name config "hidden_act" "gelu"))))
    (gated-mlp (%config-size config "hidden_size")
               (%config-size config "intermediate_size")
               :activation (if (equal? activation "gelu")
                               "gelu_pytorch_tanh"
                               activation))))

(define (%gemma-scale config)
  "The square root of the width, in the precision of the model."
  (tensor-item (tensor (sqrt (inexact (%config-size config "hidden_size")))
                       :dtype (%weight-dtype))))

;; Gemma 2.

(define (%gemma2-of config)
  "The model that the settings of Gemma 2 describe."
  (%sandwich-gemma config
                   (lambda (k) (%gemma2-attention config k))
                   #f))

(define (%sandwich-gemma config attention rotation)
  "The decoder of Gemma 2 and 3; attention and rotation are those of
  llama-like."
  (llama-like config :tied #t
              :norm (%gemma-norms config)
              :mlp (lambda (layer) (%gemma-mlp config))
              :layer %sandwich
              :attention attention
              :rotation rotation
              :scale (%gemma-scale config)
              :softcap (%config-number config "final_logit_softcapping" #f)))

(define (%gemma2-attention config layer)
  "The attention of a layer.  Files without types of layers mean that even ones
  have windows."
  (let* ((bias (%config-flag config "attention_bias" #f))
         (attention
          (config-attention
           config layer :bias bias :out-bias bias
           :scale (%pre-attention-scale config)
           :softcap (%config-number config "attn_logit_softcapping" #f))))
    (unless (or (even? layer) (hash-has-key? config "layer_types"))
      (set-self-attention-window! attention #f))
    attention))

(define (%pre-attention-scale config)
  "What the scores of Gemma 2 and 3 are multiplied by."
  (/ (sqrt (%config-number config "query_pre_attn_scalar" 256.0))))

;; Gemma 3.  Of folders that also read pictures, the language model is loaded
;; (text-models.lisp).

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
