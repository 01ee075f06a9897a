;; starcoder.lisp - StarCoder 2 (Lozhkov et al. 2024): Llama's attention with
;; layer norms, plain MLPs and biases.

(define (%starcoder2-of config)
  "The model that the settings of StarCoder 2 describe."
  (let ((bias (%config-flag config "use_bias" #t))
        (eps (%config-number config "norm_epsilon" 1e-5)))
    (llama-like
     config :tied #t :bias bias :out-bias bias
     :norm (lambda (size) (layer-norm size :eps eps))
     :mlp (lambda (layer)
            (plain-mlp (%config-size config "hidden_size")
                       (%config-size config "intermediate_size")
                       :activation (%config-name config "hidden_act"
                                                 "gelu_pytorch_tanh")
                       :bias bias))
     :rules '((fc1 :from c_fc) (fc2 :from c_proj)))))
