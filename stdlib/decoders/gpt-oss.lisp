;; gpt-oss.lisp - gpt-oss (OpenAI 2025): attention with sinks and with windows
;; in every other layer, and experts with biases, whose gates are clamped.

(define-module (gpt-oss-experts width hidden count alpha limit)
  "The matrices of all experts, [count, in, out] each, as files have them."
  ((alpha alpha)
   (limit limit)
   (gate-up-proj (tensor-empty count width (* 2 hidden) :dtype (%weight-dtype))
                 :parameter)
   (gate-up-proj-bias (tensor-zeros count (* 2 hidden) :dtype (%weight-dtype))
                      :parameter)
   (down-proj (tensor-empty count hidden width :dtype (%weight-dtype))
              :parameter)
   (down-proj-bias (tensor-zeros count width :dtype (%weight-dtype))
                   :parameter))
  (forward (tokens k)
    (let* ((joined (%of-expert tokens k gate-up-proj gate-up-proj-bias))
           (pairs (tensor-unflatten joined -1 '(-1 2)))
           (gate (tensor-clamp-max (tensor-select pairs -1 0) limit))
           (up (tensor-clamp (tensor-select pairs -1 1) (- limit) limit)))
      (%of-expert (* (+ up 1) (* gate (tensor-sigmoid (* gate alpha)))) k
                  down-proj down-proj-bias))))

(define (%of-expert x k weights biases)
  "x times the matrix of an expert, plus its bias."
  (tensor-addmm (tensor-select biases 0 k) x (tensor-select weights 0 k)))

(define-module (gpt-oss-mlp router experts top)
  "An MLP of experts: each token uses the `top` ones with the largest scores of
  the router, weighted by the softmax of these.  x [..., width] -> the same
  shape."
  ((router router)
   (experts experts)
   (top top))
  (forward (x)
    (let* ((tokens (tensor-reshape x (list -1 (tensor-size x -1))))
           (scores (router tokens))
           (best (tensor-topk scores top -1)))
      (tensor-reshape
       (%use-experts tokens
                     (map (lambda (k) (lambda (rows) (experts rows k)))
                          (range (tensor-size scores -1)))
                     (cons (cadr best) (tensor-softmax (car best) -1)))
       (tensor-shape x)))))

(define (%gpt-oss-of config)
  "The model that the settings of gpt-oss describe."
  (let* ((settings (%config-with config
                                 (list (cons "rope_theta" 150000.0)
                                       (cons "rms_norm_eps" 1e-5)
                                       (cons "layer_types"
                                             (%gpt-oss-layers config)))))
         (bias (%config-flag config "attention_bias" #t))
         (model (llama-like
                 settings
                 :attention (lambda (k)
                              (config-attention settings k :bias bias
                                                :out-bias bias :sinks #t))
                 :mlp (lambda (k) (%gpt-oss-mlp config))
                 ;; Gate and up are joined in the files.
                 :joined #t :rules (list (car (qkv-rules settings))))))
    (set-decoder-config! model config)
    model))

(define (%gpt-oss-layers config)
  "The types of layers, where the settings have none: even ones have windows."
  (map (lambda (k) (if (even? k) "sliding_attention" "full_attention"))
       (range (%config-size config "num_hidden_layers"))))

(define (%gpt-oss-mlp config)
  (let ((width (%config-size config "hidden_size"))
        (count (%config-size config "num_local_experts")))
    (gpt-oss-mlp (blank-linear width count :bias #t)
                 (gpt-oss-experts width
                                  (%config-size config "intermediate_size")
                                  count
                                  (%config-number config "swiglu_alpha" 1.702)
                                  (%config-number config "swiglu_limit" 7.0))
                 (%config-experts config count))))
