;; nemotron.lisp - Nemotron and Minitron (NVIDIA 2024): layer norms that add 1 to
;; their weight, and MLPs without gates, of squared rectifiers; Arcee's AFM (2025)
;; and Apertus (Swiss AI 2025), Llamas with such MLPs.

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
