;; relatives.lisp - models that are Llama but for a setting or two: SmolLM3
;; (Hugging Face 2025), StarCoder 2 (Lozhkov et al. 2024), Seed-OSS (ByteDance
;; 2025), Helium (Kyutai 2025), Ministral and Ministral 3 (Mistral AI 2024 and
;; 2025) and Hunyuan (Tencent 2025).

(define (%smollm3-of config)
  "The model that the settings of SmolLM3 describe: every fourth layer has no
  positions."
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

(define (%starcoder2-of config)
  "The model that the settings of StarCoder 2 describe: it has layer norms,
  plain MLPs and biases."
  (let ((bias (%config-flag config "use_bias" #t))
        (eps (%config-number config "norm_epsilon" 1e-5)))
    (llama-like
     config :tied #t :bias bias :out-bias bias
     :norm (lambda (size) (layer-norm size :eps eps))
     :mlp (lambda (layer)
            (plain-mlp (%config-size config "hidden_size")
                       (%config-size config "intermediate_size")
                       :activation (%config-name config "hidden_act"
                                                 "gelu_pytorch_tanh")
                       :bias bias))
     :rules '((fc1 :from c_fc) (fc2 :from c_proj)))))

(define (%seed-oss-of config)
  "The model that the settings of Seed-OSS describe."
  (llama-like (%config-with config '(("head_dim" . 128)
                                     ("num_key_value_heads" . 8)))
              :bias (%config-flag config "attention_bias" #t)
              :out-bias (%config-flag config "attention_out_bias" #f)))

(define (%helium-of config)
  "The model that the settings of Helium describe: neighbours are rotated as
  pairs."
  (let ((config (%config-with config '(("rms_norm_eps" . 1e-8)
                                       ("rope_theta" . 100000.0)
                                       ("head_dim" . 128)))))
    (llama-like config
                :bias (%config-flag config "attention_bias" #f)
                :rotation (decoder-rotation-of config :interleaved #t))))

(define (%ministral-of config)
  "The model that the settings of Ministral describe."
  (llama-like config))

(define (%ministral3-of config)
  "The model that the settings of Ministral 3 describe: scores grow with the
  position beyond the context that it has learned first."
  (let* ((rope (%config-rope config))
         (beta (and (hash-has-key? rope "llama_4_scaling_beta")
                    (%rope-number rope "llama_4_scaling_beta")))
         (context (%original-context rope #f)))
    (define (scale positions)
      (let ((turns (tensor-floor (/ (tensor-to positions 'float32) context))))
        (+ 1.0 (* beta (tensor-log1p turns)))))
    (llama-like
     config
     :attention (lambda (k)
                  (config-attention config k
                                    :query-scale (and beta scale))))))

(define (%hunyuan-of config)
  "The model that the settings of Hunyuan describe: queries and keys are normed
  after they were rotated."
  (let* ((config (%config-with (%with-fixed-base config)
                               '(("rms_norm_eps" . 1e-5))))
         (bias (%config-flag config "attention_bias" #f))
         (norm (config-norm config)))
    (llama-like
     config :bias bias :out-bias bias
     :attention (lambda (k)
                  (config-attention config k :bias bias :out-bias bias
                                    :norm norm :rotate-first #t))
     :rules '((q_norm :from query_layernorm) (k_norm :from key_layernorm)))))

(define (%with-fixed-base config)
  "Settings whose positions have a fixed alpha, by which their base is larger,
  with that base; files call this scaling dynamic."
  (let* ((rope (%config-rope config))
         (alpha (and (equal? (%rope-type rope) "dynamic")
                     (hash-has-key? rope "alpha")
                     (%rope-number rope "alpha"))))
    (if alpha
        (let-values (((heads kv-heads size) (%config-heads config)))
          (let ((fixed (hash-copy config)))
            (hash-delete! fixed "rope_scaling")
            (hash-set! fixed "rope_parameters"
                       (%table-of
                        (list (cons "rope_type" "default")
                              (cons "rope_theta"
                                    (* (%rope-number rope "rope_theta")
                                       (expt alpha (/ size (- size 2.0))))))))
            fixed))
        config)))
