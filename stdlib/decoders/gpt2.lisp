;; gpt2.lisp - GPT-2 (Radford et al. 2019): learned positions, layer norms,
;; biases, a tied head; and files whose matrices are the other way round.

(define (%gpt2-of config)
  "The model that the settings of GPT-2 describe."
  (let* ((width (%config-size config "n_embd"))
         (eps (%config-number config "layer_norm_epsilon" 1e-5))
         (norm (lambda () (layer-norm width :eps eps)))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :positions (blank-embedding (%config-size config "n_positions")
                                         width)
             :layers (map (lambda (k)
                            (decoder-layer (norm) (%gpt2-attention config k)
                                           (norm) (%gpt2-mlp config)))
                          (range (%config-size config "n_layer")))
             :norm (norm)
             :lm-head (if (%config-flag config "tie_word_embeddings" #t)
                          (tied-head table)
                          (blank-linear width
                                        (%config-size config "vocab_size")))
             :rules (append %gpt2-names (list (base-prefix "transformer"))))))

(define %gpt2-names
  '((embed_tokens :from wte)
    (positions :from wpe)
    (layers :from h)
    (norm :from ln_f)
    (input_layernorm :from ln_1)
    (post_attention_layernorm :from ln_2)
    ("self_attn.qkv_proj" :from "attn.c_attn")
    ("self_attn.o_proj" :from "attn.c_proj")
    ("mlp.fc1" :from "mlp.c_fc")
    ("mlp.fc2" :from "mlp.c_proj")
    ("c_attn.weight" :from "c_attn.weight" :transpose #t)
    ("c_proj.weight" :from "c_proj.weight" :transpose #t)
    ("c_fc.weight" :from "c_fc.weight" :transpose #t)))

(define (%gpt2-attention config layer)
  "The attention of a layer; settings may change the scale of its scores."
  (let* ((width (%config-size config "n_embd"))
         (heads (%dividing-count config "n_head" width "n_embd"))
         (scale (if (%config-flag config "scale_attn_weights" #t)
                    (/ (sqrt (/ width heads 1.0)))
                    1.0)))
    (self-attention width heads :layer layer :bias #t :out-bias #t
                    :dropout (%config-rate config "attn_pdrop" 0.0)
                    :scale (if (%config-flag config
                                             "scale_attn_by_inverse_layer_idx"
                                             #f)
                               (/ scale (+ layer 1))
                               scale))))

(define (%gpt2-mlp config)
  (let ((width (%config-size config "n_embd")))
    (plain-mlp width (%config-size config "n_inner" (* 4 width))
               :activation (%config-name config "activation_function"
                                         "gelu_new"))))
