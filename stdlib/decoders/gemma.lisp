;; gemma.lisp - Gemma and Gemma 2 (Gemma Team 2024): norms that add 1 to their
;; weight, scaled vectors of tokens, a tied head; and in Gemma 2 norms on both
;; sides of attention and MLP, capped scores, and windows in every other layer.

(define (%gemma-of config)
  "The model that the settings of Gemma describe."
  (let ((bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias bias :tied #t
                :norm (%gemma-norms config)
                :mlp (lambda (layer) (%gemma-mlp config))
                :scale (%gemma-scale config))))

(define (%gemma-norms config)
  "A procedure that creates a norm of the settings."
  (let ((eps (%config-number config "rms_norm_eps" 1e-6)))
    (lambda (size) (llm-norm size :eps eps :offset 1.0))))

(define (%gemma-mlp config)
  "The MLP of the settings.  The first models say gelu, and mean its tanh
  approximation."
  (let ((activation (%config-name config "hidden_activation"
                                  (%config-name config "hidden_act" "gelu"))))
    (gated-mlp (%config-size config "hidden_size")
               (%config-size config "intermediate_size")
               :activation (if (equal? activation "gelu")
                               "gelu_pytorch_tanh"
                               activation))))

(define (%gemma-scale config)
  "The square root of the width, in the precision of the model."
  (tensor-item (tensor (sqrt (inexact (%config-size config "hidden_size")))
                       :dtype (%weight-dtype))))

;; Gemma 2.

(define-module (gemma2-layer input-layernorm self-attn post-attention-layernorm
                             pre-feedforward-layernorm mlp
                             post-feedforward-layernorm)
  "A layer of Gemma 2: norms before and after attention and MLP.  x [n, t,
  width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (pre-feedforward-layernorm pre-feedforward-layernorm)
   (mlp mlp)
   (post-feedforward-layernorm post-feedforward-layernorm))
  (forward (x step)
    (let ((x (+ x (post-attention-layernorm
                   (self-attn (input-layernorm x) step)))))
      (+ x (post-feedforward-layernorm
            (mlp (pre-feedforward-layernorm x)))))))

(define (%gemma2-of config)
  "The model that the settings of Gemma 2 describe."
  (let* ((width (%config-size config "hidden_size"))
         (norm (%gemma-norms config))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (gemma2-layer (norm width)
                                          (%gemma2-attention config k)
                                          (norm width)
                                          (norm width)
                                          (%gemma-mlp config)
                                          (norm width)))
                          (range (%config-size config "num_hidden_layers")))
             :norm (norm width)
             :lm-head (head-of config table #t)
             :rotation (decoder-rotation-of config)
             :scale (%gemma-scale config)
             :softcap (%config-number config "final_logit_softcapping" #f)
             :rules (append (qkv-rules config) (list (base-prefix "model"))))))

(define (%gemma2-attention config layer)
  "The attention of a layer.  Files without types of layers mean that even ones
  have windows."
  (let* ((bias (%config-flag config "attention_bias" #f))
         (attention
          (config-attention
           config layer :bias bias :out-bias bias
           :scale (/ (sqrt (%config-number config "query_pre_attn_scalar"
                                           256.0)))
           :softcap (%config-number config "attn_logit_softcapping" #f))))
    (unless (or (even? layer) (hash-has-key? config "layer_types"))
      (set-self-attention-window! attention #f))
    attention))
