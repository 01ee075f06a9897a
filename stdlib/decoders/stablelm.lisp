;; stablelm.lisp - StableLM 3B and StableLM 2 (Stability AI 2023 and 2024):
;; layer norms, partly rotated heads; settings may compute attention and MLP
;; side by side, and norm each head with a weight of its own.

(define (%stablelm-of config)
  "The model that the settings of StableLM describe."
  (let* ((config (%config-with config '(("partial_rotary_factor" . 0.25))))
         (eps (%config-number config "layer_norm_eps" 1e-5))
         (bias (%config-flag config "use_qkv_bias" #f))
         (heads-norm (and (%config-flag config "qk_layernorm" #f)
                          (lambda (heads size)
                            (%stablelm-norm heads size eps)))))
    (llama-like
     config
     :norm (lambda (width) (layer-norm width :eps eps))
     :attention (lambda (k)
                  (config-attention config k :bias bias
                                    :heads-norm heads-norm))
     :layer (and (%config-flag config "use_parallel_residual" #f)
                 (lambda (norm attention mlp)
                   (phi-layer (norm) attention mlp)))
     :rules '((q_norm :from q_layernorm) (k_norm :from k_layernorm)))))

(define-module (norms-of-heads norms size eps)
  "The norm of each-head-norm, whose files have a norm for each head.  x [n,
  heads, t, size] -> the same shape."
  ((norms norms)
   (size size)
   (eps eps))
  (forward (x)
    (%weighted-heads x size eps
                     (tensor-stack (map layer-norm-weight norms) 0))))

(define (%stablelm-norm heads size eps)
  "The norm of that many heads."
  (norms-of-heads (map (lambda (k) (layer-norm size :eps eps :bias #f))
                       (range heads))
                  size eps))
