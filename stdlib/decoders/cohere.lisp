;; cohere.lisp - Cohere's Command R (2024) and Command R7B (Cohere 2): attention
;; and MLP of the same norm, neighbours rotated as pairs, scaled logits; in
;; Cohere 2, each fourth layer has neither a window nor positions.

(define (%cohere-of config)
  "The model that the settings of Cohere describe."
  (let ((eps (%config-number config "layer_norm_eps" 1e-5)))
    (%cohere-with
     config
     (lambda (layer) 'model)
     (and (%config-flag config "use_qk_norm" #f)
          (lambda (heads size) (each-head-norm heads size :eps eps))))))

(define (%cohere2-of config)
  "The model that the settings of Cohere 2 describe."
  (let* ((pattern (%config-size config "sliding_window_pattern" 4))
         (config (%with-layer-types
                  (%config-with config '(("sliding_window" . 4096))) pattern)))
    (%cohere-with config
                  (lambda (layer) (and (%sliding-layer? config layer) 'model))
                  #f)))

(define (%cohere-with config rotation heads-norm)
  "The decoder of Cohere.  rotation: a procedure of layers.  heads-norm: see
  config-attention."
  (let* ((config (%config-with config '(("rope_theta" . 500000.0)
                                        ("max_position_embeddings" . 8192))))
         (eps (%config-number config "layer_norm_eps" 1e-5))
         (bias (%config-flag config "attention_bias" #f)))
    (llama-like
     config :tied #t
     :norm (lambda (width) (layer-norm width :eps eps :bias #f))
     :attention (lambda (k)
                  (config-attention config k :bias bias :out-bias bias
                                    :rotation (rotation k)
                                    :heads-norm heads-norm))
     :layer (lambda (norm attention mlp) (phi-layer (norm) attention mlp))
     :rotation (decoder-rotation-of config :interleaved #t)
     :logit-scale (%config-number config "logit_scale" 0.0625))))
