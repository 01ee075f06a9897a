;; mixtral.lisp - Mixtral (Jiang et al. 2024): Llama's layers, whose MLPs are
;; mixtures of experts.

(define (%mixtral-of config)
  "The model that the settings of Mixtral describe."
  (let ((width (%config-size config "hidden_size")))
    (llama-like
     config
     :mlp (lambda (layer)
            (mixture-of-experts
             width
             (%config-size config "num_local_experts")
             (%config-size config "num_experts_per_tok")
             (lambda ()
               (gated-mlp width (%config-size config "intermediate_size")
                          :activation (%config-name config "hidden_act"
                                                    "silu")))))
     :rules '((mlp :from block_sparse_moe)
              (gate_up_proj :from (w1 w3))
              (down_proj :from w2)))))
