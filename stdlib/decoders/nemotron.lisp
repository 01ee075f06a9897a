;; nemotron.lisp - Nemotron and Minitron (NVIDIA 2024): layer norms that add 1
;; to their weight, and MLPs without gates, of squared rectifiers; Arcee's AFM
;; (2025) and Apertus (Swiss AI 2025), Llamas with such MLPs.

(define (%nemotron-of config)
  "The model that the settings of Nemotron describe."
  (let* ((config (%config-with config '(("partial_rotary_factor" . 0.5))))
         (eps (%config-number config "norm_eps" 1e-5))
         (bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias bias
                :norm (lambda (size) (offset-layer-norm size :eps eps))
                :mlp (lambda (layer) (%ungated-mlp config "relu2"))
                :rules %ungated-names)))

(define (%arcee-of config)
  "The model that the settings of Arcee describe."
  (let* ((config (%config-with config '(("rms_norm_eps" . 1e-5))))
         (bias (%config-flag config "attention_bias" #f)))
    (llama-like config :bias bias :out-bias bias
                :mlp (lambda (layer) (%ungated-mlp config "relu2"))
                :rules %ungated-names)))

(define %ungated-names '((fc1 :from up_proj) (fc2 :from down_proj)))

(define (%ungated-mlp config activation)
  "The MLP of settings without gates.  activation: what they mean if they do
  not say."
  (plain-mlp (%config-size config "hidden_size")
             (%config-size config "intermediate_size")
             :activation (%config-name config "hidden_act" activation)
             :bias (%config-flag config "mlp_bias" #f)))

;; Apertus.

(define-module (learned-xielu)
  "The activation xIELU (Huang and Schlag 2024), with learned curvatures for
  positive and negative numbers.  x [...] -> the same shape."
  ((alpha-p (tensor '(0.2034)) :parameter)       ; softplus of it is 0.8
   (alpha-n (tensor '(-1.0502)) :parameter)      ; of it, 0.3
   (beta (tensor 0.5) :buffer)
   (eps (tensor -1e-6) :buffer))
  (forward (x)
    (let ((linear (* beta x)))
      (tensor-where
       (tensor-gt x 0)
       (+ (* (tensor-softplus alpha-p) x x) linear)
       (+ (* (- (tensor-expm1 (tensor-minimum x eps)) x)
             (+ beta (tensor-softplus alpha-n)))
          linear)))))

(define (%apertus-of config)
  "The model that the settings of Apertus describe: norms of heads, and an
  activation of its own."
  (let* ((config (%config-with config %apertus-defaults))
         (bias (%config-flag config "attention_bias" #f)))
    (llama-like
     config :bias bias :out-bias bias :head-norm #t
     :mlp (lambda (layer)
            (let ((name (%config-name config "hidden_act" "xielu")))
              (plain-mlp (%config-size config "hidden_size")
                         (%config-size config "intermediate_size")
                         :activation (if (equal? name "xielu")
                                         (learned-xielu)
                                         name)
                         :bias #f)))
     :rules (append '((input_layernorm :from attention_layernorm)
                      (post_attention_layernorm :from feedforward_layernorm)
                      (activation :from act_fn))
                    %ungated-names))))

;; What files leave out.
(define %apertus-defaults
  '(("rms_norm_eps" . 1e-5) ("rope_theta" . 12000000.0)
    ("max_position_embeddings" . 65536)))
