;; mpt.lisp - MPT (MosaicML 2023): ALiBi instead of positions, no biases, and
;; queries, keys and values that may be clipped.

(define (%mpt-of config)
  "The model that the settings of MPT describe."
  (%refuse-settings config '(("no_bias" #t) ("logit_scale" null)))
  (let* ((settings (%config-with config
                                 '(("hidden_size" "d_model")
                                   ("num_attention_heads" "n_heads")
                                   ("num_hidden_layers" "n_layers"))))
         (width (%config-size settings "hidden_size"))
         (eps (%config-number config "layer_norm_epsilon" 1e-5))
         (norm (lambda () (layer-norm width :eps eps :bias #f)))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (decoder-layer (norm) (%mpt-attention settings k)
                                           (norm) (%mpt-mlp settings)))
                          (range (%config-size settings "num_hidden_layers")))
             :norm (norm)
             :lm-head (head-of settings table #t)
             :rules (append '((embed_tokens :from wte)
                              (layers :from blocks)
                              (norm :from norm_f)
                              (input_layernorm :from norm_1)
                              (post_attention_layernorm :from norm_2)
                              ("self_attn.qkv_proj" :from "attn.Wqkv")
                              ("self_attn.o_proj" :from "attn.out_proj")
                              ("mlp.fc1" :from "ffn.up_proj")
                              ("mlp.fc2" :from "ffn.down_proj"))
                            (list (base-prefix "transformer"))))))

(define (%mpt-attention settings layer)
  "The attention of a layer, whose settings are a table of their own."
  (let ((own (%valid-setting settings "attn_config" (list (make-hash-table))
                             hash-table? "an object")))
    (%refuse-settings own '(("attn_type" "multihead_attention") ("alibi" #t)
                            ("prefix_lm" #f) ("qk_ln" #f)
                            ("attn_uses_sequence_id" #f)))
    (config-attention (%config-with settings
                                    (list (cons "attention_dropout"
                                                (%config-rate own "attn_pdrop"
                                                              0.0))))
                      layer
                      :scale (%config-number own "softmax_scale" #f)
                      :clip (%config-number own "clip_qkv" #f)
                      :key-bias (linear-key-bias
                                 (%config-size settings "num_attention_heads")
                                 :most (%config-size own "alibi_bias_max"
                                                     8)))))

(define (%mpt-mlp settings)
  (let ((width (%config-size settings "hidden_size")))
    (plain-mlp width
               (* (%config-size settings "expansion_ratio" 4) width)
               :activation "gelu" :bias #f)))
