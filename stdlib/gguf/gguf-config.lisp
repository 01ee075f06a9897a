;; gguf-config.lisp - the settings of a language model in a GGUF file, as those
;; of Hugging Face's config.json.

(define %gguf-architectures
  '(("llama" . "llama") ("qwen2" . "qwen2") ("qwen3" . "qwen3")
    ("qwen2moe" . "qwen2_moe") ("qwen3moe" . "qwen3_moe") ("gemma" . "gemma")
    ("gemma2" . "gemma2") ("phi2" . "phi") ("phi3" . "phi3")
    ("gpt2" . "gpt2") ("gemma3" . "gemma3_text") ("smollm3" . "smollm3")
    ("olmo2" . "olmo2") ("granite" . "granite") ("granitemoe" . "granitemoe")
    ("glm4" . "glm4") ("command-r" . "cohere") ("cohere2" . "cohere2")
    ("starcoder2" . "starcoder2") ("stablelm" . "stablelm")
    ("nemotron" . "nemotron") ("exaone4" . "exaone4")
    ("ernie4_5" . "ernie4_5") ("seed_oss" . "seed_oss") ("arcee" . "arcee")
    ("hunyuan-dense" . "hunyuan_v1_dense")))

;; Settings by their names in config.json and in GGUF, where an architecture's
;; name and a dot come before them.
(define %gguf-settings
  '(("hidden_size" . "embedding_length")
    ("num_hidden_layers" . "block_count")
    ("intermediate_size" . "feed_forward_length")
    ("num_attention_heads" . "attention.head_count")
    ("num_key_value_heads" . "attention.head_count_kv")
    ("head_dim" . "attention.key_length")
    ("max_position_embeddings" . "context_length")
    ("rms_norm_eps" . "attention.layer_norm_rms_epsilon")
    ("layer_norm_eps" . "attention.layer_norm_epsilon")
    ("rope_theta" . "rope.freq_base")
    ("sliding_window" . "attention.sliding_window")
    ("attn_logit_softcapping" . "attn_logit_softcapping")
    ("final_logit_softcapping" . "final_logit_softcapping")
    ("num_experts" . "expert_count")
    ("num_local_experts" . "expert_count")
    ("num_experts_per_tok" . "expert_used_count")
    ("moe_intermediate_size" . "expert_feed_forward_length")
    ("shared_expert_intermediate_size" . "expert_shared_feed_forward_length")))

(define %gguf-gpt2-settings
  '(("n_embd" . "embedding_length") ("n_layer" . "block_count")
    ("n_head" . "attention.head_count") ("n_inner" . "feed_forward_length")
    ("n_positions" . "context_length")
    ("layer_norm_epsilon" . "attention.layer_norm_epsilon")))

(define (%gguf-config path file shapes)
  "The settings of an open file, a hash table.  shapes: a table from the names
  of tensors to their type and shape."
  (let* ((meta (%procedure "gguf-metadata" file 64))
         (name (hash-ref meta "general.architecture" #f))
         (type (assoc name %gguf-architectures))
         (config (make-hash-table)))
    (unless type
      (error (format "load-llm: ~s: unknown architecture ~s in GGUF; known are"
                     path name)
             (map car %gguf-architectures)))
    (for-each (lambda (entry)
                (let ((value (hash-ref meta (string name "." (cdr entry)) 'none)))
                  (unless (eq? value 'none)
                    (hash-set! config (car entry) value))))
              (if (equal? name "gpt2") %gguf-gpt2-settings %gguf-settings))
    (hash-set! config "model_type"
               (if (and (equal? name "llama")
                        (hash-has-key? config "num_local_experts"))
                   "mixtral"
                   (cdr type)))
    (hash-set! config "vocab_size" (%gguf-vocabulary path shapes))
    (hash-set! config "tie_word_embeddings"
               (not (hash-has-key? shapes "output.weight")))
    (hash-set! config "attention_bias"
               (hash-has-key? shapes "blk.0.attn_q.bias"))
    (when (equal? name "llama")
      (hash-set! config "mlp_bias" (hash-has-key? shapes "blk.0.ffn_up.bias")))
    (%add-gguf-details! config name meta file shapes)
    config))

(define (%gguf-vocabulary path shapes)
  "The number of tokens: the rows of their table."
  (let ((found (hash-ref shapes "token_embd.weight" #f)))
    (unless (and found (= (length (cadr found)) 2))
      (error (format "load-llm: ~s: it has no matrix \"token_embd.weight\""
                     path)))
    (car (cadr found))))

(define (%add-gguf-details! config name meta file shapes)
  "Add settings that depend on the architecture."
  (let* ((heads (hash-ref config "num_attention_heads" #f))
         (width (hash-ref config "hidden_size" #f))
         (size (or (hash-ref config "head_dim" #f)
                   (and (exact-integer? heads) (exact-integer? width)
                        (> heads 0)
                        (quotient width heads))))
         (rotated (hash-ref meta (string name ".rope.dimension_count") size)))
    (when (and (exact-integer? rotated) (exact-integer? size) (> size 0)
               (member name '("phi2" "stablelm" "nemotron" "glm4")))
      (hash-set! config "partial_rotary_factor" (/ (inexact rotated) size)))
    (when (member name '("gemma2" "gemma3"))
      (hash-set! config "query_pre_attn_scalar"
                 (%gemma-scalar config width heads size
                                (hash-ref meta (string name ".attention.scale")
                                          #f))))
    (when (member name %gguf-relatives)
      (%add-relative-settings! config name meta shapes))
    (when (member name '("qwen2moe" "qwen3moe"))
      (hash-set! config "norm_topk_prob" (equal? name "qwen3moe")))
    (%add-gguf-scaling! config name meta file shapes size)))

(define (%gemma-scalar config width heads size scale)
  "What the scores of Gemma 2 and 3 are divided by, squared."
  (cond ((and (real? scale) (> scale 0)) (/ (inexact (square scale))))
        ((memv (hash-ref config "num_hidden_layers" #f) '(46 62))
         (quotient width heads))                 ; the models of 27B
        (else size)))

;; Positions.

(define (%add-gguf-scaling! config name meta file shapes size)
  "Add the scaling of rotary positions."
  (let* ((setting (lambda (key default)
                    (hash-ref meta (string name ".rope.scaling." key)
                              default)))
         (type (setting "type" "linear"))
         (factor (%gguf-factor (setting "factor" #f)
                               (hash-ref meta (string name ".rope.scale_linear")
                                         #f))))
    (unless (member type '("none" "linear" "yarn" "longrope"))
      (error (string "load-llm: expected none, linear, yarn or longrope as \
                      the file's " name ".rope.scaling.type, got")
             type))
    (when (and (not (= factor 1)) (not (equal? type "none"))
               (or (hash-has-key? shapes "rope_freqs.weight")
                   (hash-has-key? shapes "rope_factors_long.weight")))
      (error (string "load-llm: the file scales positions both by divisors of \
                      each pair and by the factor")
             factor))
    (cond ((hash-has-key? shapes "rope_freqs.weight")
           (hash-set! config "rope_scaling"
                      (%llama3-scaling file config size)))
          ((hash-has-key? shapes "rope_factors_long.weight")
           (hash-set! config "rope_scaling"
                      (%table-of
                       (list '("rope_type" . "longrope")
                             (cons "long_factor"
                                   (%gguf-numbers file
                                                  "rope_factors_long.weight"))
                             (cons "short_factor"
                                   (%gguf-numbers file
                                                  "rope_factors_short.weight"))
                             (cons "original_max_position_embeddings"
                                   (setting "original_context_length" 'null))
                             (cons "attention_factor"
                                   (setting "attn_factor" 'null))))))
          ((equal? type "longrope")
           (error "load-llm: the file's positions are scaled as longrope, but \
it has no \"rope_factors_long.weight\""))
          ((or (equal? type "yarn")
               (and (equal? type "linear") (not (= factor 1))))
           (hash-set! config "rope_scaling"
                      (%gguf-scaling type factor setting))))))

(define (%gguf-factor factor linear)
  "By how much contexts are longer than the learned ones: of today's key, or of
  the one of older files; 0 stands for nothing, as in llama.cpp."
  (let ((factor (or factor linear 0)))
    (unless (and (real? factor) (>= factor 0) (< factor +inf.0))
      (error "load-llm: expected a number of at least 0 as the file's factor of \
positions, got" factor))
    (if (= factor 0) 1.0 (inexact factor))))

(define (%gguf-scaling type factor setting)
  "The settings of a scaling.  setting: a procedure of key and default."
  (let ((sharpness (setting "attn_factor" (setting "yarn_attn_factor" 1.0))))
    (for-each (lambda (key usual)
                (unless (= (setting key usual) usual)
                  (error (string "load-llm: the file's " key " of positions is \
                                  not available:")
                         (setting key usual))))
              (if (equal? type "yarn")
                  '("yarn_ext_factor")
                  '("attn_factor" "yarn_attn_factor" "yarn_ext_factor"))
              (if (equal? type "yarn") '(1.0) '(1.0 1.0 0.0)))
    (%table-of
     (append
      (list (cons "rope_type" type)
            (cons "factor" factor)
            (cons "original_max_position_embeddings"
                  (setting "original_context_length" 'null)))
      (if (equal? type "yarn")
          (list (cons "beta_fast" (setting "yarn_beta_fast" 32.0))
                (cons "beta_slow" (setting "yarn_beta_slow" 1.0)))
          '())
      (if (= sharpness 1)
          '()
          (list (cons "attention_factor"
                      (* sharpness
                         (if (<= factor 1)
                             1.0
                             (+ 1.0 (* 0.1 (log factor))))))))))))

(define (%gguf-numbers file name)
  "The elements of a tensor as a list."
  (tensor->list (tensor-to (%procedure "gguf-tensor" file name #f #f)
                           'float32)))

(define (%llama3-scaling file config size)
  "The settings of Llama 3's scaling, of which the file has only the divisor of
  each pair's frequency: the ones that Meta's models use, if they lead to these
  divisors."
  (let* ((divisors (tensor-to (%procedure "gguf-tensor" file
                                          "rope_freqs.weight" #f #f)
                              'float32))
         (base (config-ref config "rope_theta" 10000.0))
         (plain (/ 1.0 (tensor-pow base (/ (tensor-arange 0 size 2
                                                          :dtype 'float32)
                                           size))))
         (factor (tensor-item (tensor-max divisors)))
         (settings
          (lambda (original)
            (%table-of
             (list '("rope_type" . "llama3") (cons "factor" factor)
                   '("low_freq_factor" . 1.0) '("high_freq_factor" . 4.0)
                   (cons "original_max_position_embeddings" original)))))
         (fits? (lambda (original)
                  (and (equal? (tensor-shape plain) (tensor-shape divisors))
                       (tensor-allclose
                        (/ plain (%llama3-frequencies plain
                                                      (settings original)))
                        divisors 1e-3 1e-4))))
         (found (find fits? (map (lambda (k) (expt 2 k)) (range 20 2 -1)))))
    (if found
        (settings found)
        (error "load-llm: \"rope_freqs.weight\" has divisors that are not \
those of Llama 3's scaling:" divisors))))
