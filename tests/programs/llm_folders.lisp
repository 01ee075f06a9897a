;; Every architecture, and one of the program's own: a model with random weights
;; is saved with its rules, loaded from the folder, and returns the same.

(manual-seed 5)
(define folder (string "/tmp/" (random 1000000000) "-llm"))
(make-folder folder)
(define file (string folder "/model.safetensors"))

(define (write-settings settings)
  (call-with-output-file (string folder "/config.json")
    (lambda (port) (write-json settings port))))

(define (small type . more)
  (append (list (cons "model_type" type)) more
          '(("vocab_size" . 20) ("hidden_size" . 16) ("intermediate_size" . 12)
            ("num_hidden_layers" . 2) ("num_attention_heads" . 4)
            ("num_key_value_heads" . 2) ("initializer_range" . 0.4)
            ("max_position_embeddings" . 64))))

(define gpt2-like
  '(("model_type" . "gpt2") ("vocab_size" . 20) ("n_embd" . 16) ("n_head" . 2)
    ("n_layer" . 2) ("n_positions" . 64) ("initializer_range" . 0.4)))

(define experts
  '(("num_experts" . 3) ("num_local_experts" . 3) ("num_experts_per_tok" . 2)
    ("moe_intermediate_size" . 8)))

;; The program's own: a Llama whose layers come in the other order.
(define (reversed-llm config)
  (let ((model (llama-like config)))
    (set-decoder-layers! model (reverse (decoder-layers model)))
    model))
(define mine (list (architecture "reversed" reversed-llm)))

(define ids (tensor '((3 1 4 1 5 9 2 6))))

(define (round-trip settings)
  (let* ((model (eval-mode! (new-llm settings :architectures mine))))
    (save-model file model :rules (decoder-rules model))
    (write-settings (decoder-config model))
    (let ((loaded (load-llm folder :architectures mine)))
      (and (equal? (model ids) (loaded ids))
           (equal? (map car (state-dict model)) (map car (state-dict loaded)))
           (tensor-allclose (loaded ids :last #t)
                            (let ((cache (kv-cache loaded)))
                              (loaded (tensor-slice ids 1 0 7) :cache cache)
                              (loaded (tensor-slice ids 1 7 8) :cache cache))
                            :atol 1e-4)))))

(print (map round-trip
            (list (small "llama" '("tie_word_embeddings" . #t))
                  (small "llama" '("attention_bias" . #t) '("mlp_bias" . #t))
                  (small "mistral" '("sliding_window" . 3))
                  (apply small "mixtral" experts)
                  (small "qwen2")
                  (small "qwen3" '("head_dim" . 8)))))
; => (#t #t #t #t #t #t)
(print (map round-trip
            (list (apply small "qwen2_moe" '("shared_expert_intermediate_size" . 6)
                         '("mlp_only_layers" 0) experts)
                  (apply small "qwen3_moe" experts)
                  (small "gemma" '("head_dim" . 8))
                  (small "gemma2" '("sliding_window" . 3)
                         '("attn_logit_softcapping" . 2.0)
                         '("final_logit_softcapping" . 3.0))
                  (small "phi" '("partial_rotary_factor" . 0.5)
                         '("qk_layernorm" . #t))
                  (small "phi3")
                  gpt2-like
                  (small "reversed"))))
; => (#t #t #t #t #t #t #t #t)

;; Other dtypes, and files that do not fit.
(print (model-dtype (load-llm folder :dtype 'bfloat16 :architectures mine)))
; => bfloat16
(define (report)
  (guard (e (#t (print (string-join (string-split (error-object-message e) folder)
                                    "FOLDER"))))
    (load-llm folder :architectures mine)
    (print "loaded")))
(define saved (load-tensors file))
(define changed
  (map (lambda (entry)
         (let ((name (car entry)) (x (tensor-copy (cdr entry))))
           (cond ((equal? name "model.norm.weight") (cons "model.normal.weight" x))
                 ((equal? name "lm_head.weight") (cons name (tensor-zeros 20 8)))
                 (else (cons name x)))))
       (hash->list saved)))
(save-tensors file changed)
(report)
; => load-llm: "FOLDER" does not fit the model:
; =>   missing: "model.norm.weight", near "model.normal.weight" (16)
; =>   unexpected: "model.normal.weight" (16)
; =>   shape: "lm_head.weight" is (20 8), in the model (20 16)
(for-each (lambda (name) (delete-file (string folder "/" name)))
          '("model.safetensors" "config.json"))
(report)
; => load-llm: "FOLDER" is an empty folder
