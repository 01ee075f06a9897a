;; relatives.lisp - models that are Llama but for a setting or two: Ernie 4.5
;; (Baidu 2025), Seed-OSS (ByteDance 2025), Helium (Kyutai 2025), Ministral
;; (Mistral AI 2024) and Hunyuan (Tencent 2025).

(define (%ernie-of config)
  "The model that the settings of Ernie 4.5 describe: neighbours are rotated as
  pairs."
  (let* ((config (%config-with config %ernie-defaults))
         (bias (%config-flag config "use_bias" #f)))
    (llama-like (%config-with config (list (cons "mlp_bias" bias)))
                :bias bias :out-bias bias :tied #t
                :rotation (decoder-rotation-of config :interleaved #t))))

;; What files leave out.
(define %ernie-defaults
  '(("rms_norm_eps" . 1e-5) ("rope_theta" . 500000.0)))

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
