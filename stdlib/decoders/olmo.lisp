;; olmo.lisp - OLMo 2 (OLMo Team 2024): norms after attention and MLP, and
;; norms of all queries and all keys at once; and OLMo 3, whose layers have
;; windows but for each fourth, in which alone positions are stretched.

(define (%olmo2-of config)
  "The model that the settings of OLMo 2 describe."
  (%olmo-with (%config-with config '(("rms_norm_eps" . 1e-5)))
              (lambda (layer) 'model)))

(define (%olmo3-of config)
  "The model that the settings of OLMo 3 describe."
  (let* ((config (%with-layer-types (%config-with config %olmo3-defaults) 4))
         (near (%olmo3-near-rotation config)))
    (%olmo-with config (lambda (layer)
                         (if (%sliding-layer? config layer) near 'model)))))

;; What files leave out.
(define %olmo3-defaults
  '(("rms_norm_eps" . 1e-5) ("sliding_window" . 4096)
    ("rope_theta" . 500000.0)))

(define (%olmo-with config rotation)
  "The decoder of OLMo; rotation: a procedure of layers."
  (let ((bias (%config-flag config "attention_bias" #f))
        (eps (%config-number config "rms_norm_eps")))
    (llama-like
     config
     :layer %post-norm
     :attention (lambda (k)
                  (config-attention config k :bias bias :out-bias bias
                                    :rotation (rotation k)
                                    :heads-norm
                                    (lambda (heads size)
                                      (all-heads-norm (* heads size)
                                                      :eps eps)))))))

(define (%olmo3-near-rotation config)
  "The positions of layers with windows."
  (let ((near (hash-copy config)))
    (hash-delete! near "rope_scaling")
    (decoder-rotation-of near :type "sliding_attention")))
