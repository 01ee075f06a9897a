;; deepseek.lisp - DeepSeek V2 and V3 (DeepSeek-AI 2024): attention to latents,
;; first layers with plain MLPs, then experts of which groups are chosen first,
;; beside some that all tokens use.  The layers of V3 that predict several
;; tokens are ignored.

(define (%deepseek-v2-of config)
  "The model that the settings of DeepSeek V2 describe."
  (%refuse-settings config '(("topk_method" "greedy" "group_limited_greedy")
                             ("norm_topk_prob" #f)
                             ("scoring_func" "softmax")
                             ("moe_layer_freq" 1)))
  (%deepseek-of config #t
                (if (equal? (%config-name config "topk_method" "greedy")
                            "greedy")
                    %greedy-choice
                    %group-choice)
                #f))

(define (%deepseek-v3-of config)
  "The model that the settings of DeepSeek V3 and R1 describe."
  (%refuse-settings config '(("topk_method" "noaux_tc")
                             ("scoring_func" "sigmoid")
                             ("moe_layer_freq" 1)))
  (%deepseek-of config (%config-flag config "rope_interleave" #t)
                %corrected-choice #t))

(define (%deepseek-of config interleaved choice corrected)
  "A model of latent attention, whose experts a procedure chooses; corrected:
  whether gates have corrections."
  (let* ((settings (hash-copy config))
         (width (%config-size config "hidden_size"))
         (norm (config-norm config))
         (dense (%config-count config "first_k_dense_replace"
                               (if corrected 3 0)))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (hash-set! settings "head_dim" (%config-size config "qk_rope_head_dim" 64))
    (hash-set! settings "num_key_value_heads" 'null)
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (decoder-layer
                             (norm width)
                             (%deepseek-attention config k)
                             (norm width)
                             (if (< k dense)
                                 (config-mlp config)
                                 (%deepseek-experts config choice corrected))))
                          (range (%config-size config "num_hidden_layers")))
             :norm (norm width)
             :lm-head (head-of config table #f)
             :rotation (decoder-rotation-of settings :interleaved interleaved)
             :rules (list '(gate_up_proj :from (gate_proj up_proj))
                          (base-prefix "model")))))

(define (%deepseek-attention config layer)
  (let ((plain (%config-size config "qk_nope_head_dim" 128))
        (rotated (%config-size config "qk_rope_head_dim" 64)))
    (latent-attention (%config-size config "hidden_size")
                      (%config-size config "num_attention_heads")
                      (%config-size config "kv_lora_rank" 512)
                      :q-rank (%config-size config "q_lora_rank" #f)
                      :plain plain :rotated rotated
                      :value-dim (%config-size config "v_head_dim" 128)
                      :layer layer
                      :bias (%config-flag config "attention_bias" #f)
                      :scale (%deepseek-scale config (+ plain rotated))
                      :dropout (%config-rate config "attention_dropout" 0.0))))

(define (%deepseek-scale config size)
  "The scale of scores, which a scaling of positions sharpens."
  (let* ((rope (%config-rope config))
         (weight (config-ref rope "mscale_all_dim" 0))
         (sharper (if (or (equal? (%rope-type rope) "default")
                          (and (number? weight) (zero? weight)))
                      1.0
                      (%log-scale (%rope-factor rope)
                                  (%rope-number rope "mscale_all_dim")))))
    (/ (* sharper sharper) (sqrt (inexact size)))))

(define (%deepseek-experts config choice corrected)
  (let ((width (%config-size config "hidden_size"))
        (hidden (%config-size config "moe_intermediate_size"))
        (count (%config-size config "n_routed_experts"))
        (activation (%config-name config "hidden_act" "silu")))
    (grouped-experts
     (score-gate width count :corrected corrected)
     (choice config count)
     (map (lambda (k) (gated-mlp width hidden :activation activation))
          (range count))
     (gated-mlp width
                (* hidden (%config-size config "n_shared_experts" 1))
                :activation activation))))
