;; smollm3.lisp - SmolLM3 (Hugging Face 2025): Llama without positions in every
;; fourth layer.

(define (%smollm3-of config)
  "The model that the settings of SmolLM3 describe."
  (let* ((config (%config-with config %smollm3-defaults))
         (every-kth (%config-size config "no_rope_layer_interval" 4))
         (rotated (%config-list config "no_rope_layers"
                                (lambda (x) (memv x '(0 1)))
                                "a list of 0 and 1"))
         (bias (%config-flag config "attention_bias" #f)))
    (define (rotated? layer)
      (if (< layer (length rotated))
          (= (list-ref rotated layer) 1)
          (not (zero? (remainder (+ layer 1) every-kth)))))
    (llama-like
     config :tied #t
     :attention (lambda (k)
                  (let ((attention
                         (config-attention config k :bias bias :out-bias bias
                                           :rotation (and (rotated? k)
                                                          'model))))
                    (when (and (rotated? k)
                               (not (hash-has-key? config "layer_types")))
                      (set-self-attention-window! attention #f))
                    attention)))))

;; What files leave out.
(define %smollm3-defaults
  '(("num_key_value_heads" . 4) ("rope_theta" . 2000000.0)
    ("max_position_embeddings" . 32768) ("use_sliding_window" . #f)))
