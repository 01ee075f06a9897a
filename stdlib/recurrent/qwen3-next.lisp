;; qwen3-next.lisp - Qwen3-Next (Qwen Team 2025): layers of the gated delta
;; rule, and every fourth of attention with gates; experts as in Qwen3-MoE
;; beside one that all tokens use.

(define-module (gated-attention width heads kv-heads head-dim layer norm
                                :bias #f :window #f :dropout 0.0)
  "Attention whose result is multiplied by a gate for each feature.  x [n, t,
  width] -> the same shape.  qkv-proj has for each head its query and its gate,
  then all keys and values.  norm: a procedure that creates norms of queries and
  keys."
  ((heads heads)
   (kv-heads kv-heads)
   (head-dim head-dim)
   (layer layer)
   (window window)
   (dropout dropout)
   (qkv-proj (blank-linear width (* (+ (* 2 heads) (* 2 kv-heads)) head-dim)
                           :bias bias))
   (q-norm (norm head-dim))
   (k-norm (norm head-dim))
   (o-proj (blank-linear (* heads head-dim) width :bias bias)))
  (forward (x step)
    (let* ((joined (tensor-unflatten (qkv-proj x) -1 (list -1 head-dim)))
           (queries (tensor-unflatten (tensor-narrow joined 2 0 (* 2 heads)) 2
                                      (list heads 2)))
           (part (lambda (start)
                   (tensor-transpose (tensor-narrow joined 2 start kv-heads)
                                     1 2)))
           (q (tensor-transpose (tensor-select queries 3 0) 1 2))
           (gate (tensor-flatten (tensor-select queries 3 1) 2 3))
           (tables (%layer-angles step 'model))
           (q (q-norm q))
           (k (k-norm (part (* 2 heads))))
           (v (part (+ (* 2 heads) kv-heads)))
           (y (if (and (> dropout 0) (training? self))
                  (%attend-dropping step tables window #f 0.0 dropout q k v)
                  (%attend step layer tables window #f 0.0 q k v))))
      (o-proj (* (tensor-flatten (tensor-transpose y 1 2) 2 3)
                 (tensor-sigmoid gate))))))

(define (%qwen3-next-of config)
  "The model that the settings of Qwen3-Next describe."
  (let* ((settings (%config-with config '(("partial_rotary_factor" . 0.25)
                                          ("norm_topk_prob" . #t)
                                          ("head_dim" . 256))))
         (linear (%qwen3-next-linear config))
         (model (llama-like
                 settings :norm (%gemma-norms settings)
                 :attention (lambda (k)
                              (if (memv k linear)
                                  (%qwen3-next-delta settings k)
                                  (%qwen3-next-attention settings k)))
                 :mlp (lambda (k)
                        (if (%qwen-sparse? settings k)
                            (%qwen-experts settings)
                            (config-mlp settings)))
                 :joined #t
                 :rules (append
                         (%qwen3-next-joins settings)
                         (list '("self_attn.a_log" :from "self_attn.A_log")
                               (%layer-renamer linear "self_attn"
                                               "linear_attn"))))))
    (set-decoder-config! model config)
    (set-decoder-states! model (pair? linear))
    model))

(define (%qwen3-next-joins settings)
  "qkv-rules, where each query has a gate beside it."
  (let-values (((heads kv-heads size) (%config-heads settings)))
    (list (list 'qkv_proj :from '(q_proj k_proj v_proj)
                :sizes (list (* 2 heads) kv-heads kv-heads))
          '(gate_up_proj :from (gate_proj up_proj)))))

(define (%qwen3-next-linear config)
  "The layers of the gated delta rule."
  (let ((every-so-many (%config-size config "full_attention_interval" 4)))
    (%layers-of-type config "linear_attention" '("full_attention")
                     (lambda (k)
                       (not (zero? (remainder (+ k 1) every-so-many)))))))

(define (%qwen3-next-delta settings layer)
  (let ((heads (%config-size settings "linear_num_key_heads" 16))
        (value-heads (%config-size settings "linear_num_value_heads" 32)))
    (unless (zero? (remainder value-heads heads))
      (%bad-setting "linear_num_value_heads"
                    (format "a multiple of linear_num_key_heads, ~a" heads)
                    value-heads))
    (gated-delta-net (%config-size settings "hidden_size") heads value-heads
                     (%config-size settings "linear_key_head_dim" 128)
                     (%config-size settings "linear_value_head_dim" 128)
                     (%config-size settings "linear_conv_kernel_dim" 4)
                     layer
                     :activation (%config-name settings "hidden_act" "silu")
                     :eps (%config-number settings "rms_norm_eps" 1e-6))))

(define (%qwen3-next-attention settings layer)
  (let-values (((heads kv-heads size) (%config-heads settings)))
    (gated-attention (%config-size settings "hidden_size") heads kv-heads size
                     layer (%gemma-norms settings)
                     :bias (%config-flag settings "attention_bias" #f)
                     :dropout (%config-rate settings "attention_dropout"
                                            0.0))))
