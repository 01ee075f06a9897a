;; gguf-relatives.lisp - the settings of Llama's relatives in GGUF files, and
;; their tensors that llama.cpp has split.

;; Settings that one architecture has: names in config.json and in GGUF.
(define %gguf-own-settings
  '(("granite" ("attention_multiplier" . "attention.scale")
               ("embedding_multiplier" . "embedding_scale")
               ("residual_multiplier" . "residual_scale")
               ("logits_scaling" . "logit_scale"))
    ("granitemoe" ("attention_multiplier" . "attention.scale")
                  ("embedding_multiplier" . "embedding_scale")
                  ("residual_multiplier" . "residual_scale")
                  ("logits_scaling" . "logit_scale")
                  ("shared_intermediate_size"
                   . "expert_shared_feed_forward_length"))
    ("command-r" ("logit_scale" . "logit_scale"))
    ("cohere2" ("logit_scale" . "logit_scale"))
    ("starcoder2" ("norm_epsilon" . "attention.layer_norm_epsilon"))
    ("nemotron" ("norm_eps" . "attention.layer_norm_epsilon"))
    ("stablelm" ("use_parallel_residual" . "use_parallel_residual"))
    ("gemma3" ("rope_local_base_freq" . "rope.freq_base_swa"))))

;; Settings that say which tensors there are.
(define %gguf-flags
  '(("use_bias" . "blk.0.attn_q.bias")
    ("use_qkv_bias" . "blk.0.attn_q.bias")
    ("attention_out_bias" . "blk.0.attn_output.bias")
    ("mlp_bias" . "blk.0.ffn_up.bias")
    ("use_qk_norm" . "blk.0.attn_q_norm.weight")
    ("qk_layernorm" . "blk.0.attn_q_norm.weight")))

(define %gguf-relatives
  '("gemma3" "smollm3" "olmo2" "granite" "granitemoe" "glm4" "command-r"
    "cohere2" "starcoder2" "stablelm" "nemotron" "exaone4" "ernie4_5"
    "seed_oss" "arcee" "hunyuan-dense"))

(define (%add-relative-settings! config name meta shapes)
  "Add the settings of an architecture that is one of Llama's relatives."
  (let ((own (assoc name %gguf-own-settings)))
    (for-each (lambda (entry)
                (let ((value (hash-ref meta (string name "." (cdr entry))
                                       'null)))
                  (unless (eq? value 'null)
                    (hash-set! config (car entry) value))))
              (if own (cdr own) '())))
  (for-each (lambda (entry)
              (hash-set! config (car entry)
                         (hash-has-key? shapes (cdr entry))))
            %gguf-flags)
  (when (and (equal? name "stablelm")
             (hash-ref config "qk_layernorm"))
    (error "load-llm: a StableLM with norms of heads is not available in GGUF; \
its folder of Hugging Face's layout is"))
  (when (and (equal? name "olmo2") (hash-has-key? config "sliding_window"))
    (hash-set! config "model_type" "olmo3"))
  (%add-window-pattern! config
                        (hash-ref meta
                                  (string name
                                          ".attention.sliding_window_pattern")
                                  'null)))

(define (%add-window-pattern! config pattern)
  "Add which layers have windows: one in so many has none, or a list of
  booleans says it."
  (cond ((exact-integer? pattern)
         (hash-set! config "sliding_window_pattern" pattern))
        ((and (pair? pattern) (every boolean? pattern)
              (>= (length pattern)
                  (hash-ref config "num_hidden_layers" 0)))
         (hash-set! config "layer_types"
                    (map (lambda (window?)
                           (if window? "sliding_attention" "full_attention"))
                         pattern)))
        ((not (eq? pattern 'null))
         (error "load-llm: expected an integer, or a boolean for each layer, \
as the file's sliding_window_pattern, got" pattern))))

(define (%gguf-halves saved)
  "For the name of gate and up joined in Hugging Face's files, the names of the
  two in a GGUF file, and along which dimension they are joined; or #f."
  (let ((parts (string-split saved ".")))
    (define (halves end)
      (map (lambda (half)
             (string "blk." (caddr parts) ".ffn_" half end ".weight"))
           '("gate" "up")))
    (and (= (length parts) 6)
         (equal? (list-ref parts 4) "input_linear")
         (cond ((equal? (list-ref parts 3) "block_sparse_moe")
                (cons 1 (halves "_exps")))
               ((equal? (list-ref parts 3) "shared_mlp")
                (cons 0 (halves "_shexp")))
               (else #f)))))
