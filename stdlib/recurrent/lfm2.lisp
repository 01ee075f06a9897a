;; lfm2.lisp - LFM2 (Liquid AI 2025): layers of short convolutions between
;; gates, and a few of attention.

(define-module (gated-short-conv width kernel layer :bias #f)
  "c * conv(b * x), where b, c and x are projections of the input.  x [n, t,
  width] -> the same shape."
  ((layer layer)
   (in-proj (blank-linear width (* 3 width) :bias bias))
   (conv (causal-conv width kernel :bias bias))
   (out-proj (blank-linear width width :bias bias)))
  (forward (x step)
    (let-list (((b c x) (tensor-chunk (in-proj x) 3 -1)))
      (let ((result (conv (%only-real step (* b x))
                          (%only-state step layer))))
        (%set-step-state! step layer (cdr result))
        (out-proj (* c (car result)))))))

(define (%only-state step layer)
  "The first tensor of the state of a layer, or #f at the start."
  (let ((state (%step-state step layer)))
    (and state (car state))))

(define (%lfm2-of config)
  "The model that the settings of LFM2 describe."
  (let* ((settings (%config-with
                    config '(("intermediate_size" "block_ff_dim")
                             ("rms_norm_eps" "norm_eps")
                             ("rms_norm_eps" . 1e-5)
                             ("rope_theta" . 1000000.0)
                             ("tie_word_embeddings" "tie_embedding"))))
         (convs (%lfm2-convs config))
         (model (llama-like
                 settings :tied #t
                 :attention (lambda (k)
                              (if (memv k convs)
                                  (%lfm2-conv config k)
                                  (config-attention
                                   settings k :norm (config-norm settings))))
                 :mlp (lambda (k) (%lfm2-mlp settings))
                 :rules (cons (%layer-renamer convs "self_attn" "conv")
                              %lfm2-names))))
    (set-decoder-config! model config)
    (set-decoder-states! model #t)
    model))

(define %lfm2-names
  '((norm :from embedding_norm)
    (input_layernorm :from operator_norm)
    (post_attention_layernorm :from ffn_norm)
    (mlp :from feed_forward)
    (q_norm :from q_layernorm)
    (k_norm :from k_layernorm)
    (o_proj :from out_proj)
    (gate_up_proj :from (w1 w3))
    (down_proj :from w2)))

(define (%lfm2-convs config)
  "The layers that are convolutions."
  (let ((attention (%config-list config "full_attn_idxs" exact-integer?
                                 "a list of integers")))
    (%layers-of-type config "conv" '("full_attention")
                     (lambda (k)
                       (and (pair? attention) (not (memv k attention)))))))

(define (%lfm2-conv config layer)
  (gated-short-conv (%config-size config "hidden_size")
                    (%config-size config "conv_L_cache" 3)
                    layer :bias (%config-flag config "conv_bias" #f)))

(define (%lfm2-mlp settings)
  "The gated MLP, whose size may be two thirds of the setting, rounded up to a
  multiple."
  (let* ((size (%config-size settings "intermediate_size"))
         (adjusted (%config-flag settings "block_auto_adjust_ff_dim" #t))
         (factor (%config-number settings "block_ffn_dim_multiplier" 1.0))
         (of (%config-size settings "block_multiple_of" 256)))
    (gated-mlp (%config-size settings "hidden_size")
               (if adjusted
                   (* of (quotient
                          (+ (exact (floor (* factor (quotient (* 2 size) 3))))
                             of -1)
                          of))
                   size))))
