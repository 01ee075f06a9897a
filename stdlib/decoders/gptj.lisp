;; gptj.lisp - GPT-J (Wang and Komatsuzaki 2021): attention and MLP side by side
;; after one norm, and heads whose first features are rotated in neighbouring
;; pairs.

(define (%gptj-of config)
  "The model that the settings of GPT-J describe."
  (let* ((settings (%config-with config '(("hidden_size" "n_embd")
                                          ("num_attention_heads" "n_head"))))
         (width (%config-size settings "hidden_size"))
         (eps (%config-number config "layer_norm_epsilon" 1e-5))
         (norm (lambda () (layer-norm width :eps eps)))
         (vocabulary (%config-size config "vocab_size"))
         (table (blank-embedding vocabulary width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (phi-layer (norm) (%gptj-attention settings k)
                                       (%gptj-mlp settings)))
                          (range (%config-size config "n_layer")))
             :norm (norm)
             :lm-head (blank-linear width vocabulary :bias #t)
             :rotation (decoder-rotation-of (%gptj-rotated settings)
                                            :interleaved #t)
             :rules (append '((embed_tokens :from wte)
                              (layers :from h)
                              (norm :from ln_f)
                              (input_layernorm :from ln_1)
                              (self_attn :from attn)
                              (o_proj :from out_proj)
                              (fc1 :from fc_in)
                              (fc2 :from fc_out))
                            (qkv-rules settings)
                            (list (base-prefix "transformer"))))))

(define (%gptj-rotated settings)
  "The settings with the rotated part of a head, which files count."
  (let-values (((heads kv-heads size) (%config-heads settings))
               ((rotated) (%config-size settings "rotary_dim" 64)))
    (unless (and (<= rotated size) (even? rotated))
      (%bad-setting "rotary_dim"
                    (format "an even integer up to the size of a head, ~a" size)
                    rotated))
    (%config-with settings
                  (list (cons "partial_rotary_factor" (/ rotated size))))))

(define (%gptj-attention settings layer)
  (config-attention (%config-with settings
                                  '(("attention_dropout" "attn_pdrop")))
                    layer))

(define (%gptj-mlp settings)
  (let ((width (%config-size settings "hidden_size")))
    (plain-mlp width (%config-size settings "n_inner" (* 4 width))
               :activation (%config-name settings "activation_function"
                                         "gelu_new"))))
