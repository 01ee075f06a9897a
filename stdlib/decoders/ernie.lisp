;; ernie.lisp - Ernie 4.5 (Baidu 2025), a Llama that rotates neighbours as
;; pairs; and its mixture of experts, for which a bias that was learned beside
;; the model helps to choose experts, and not to weigh them.

(define (%ernie-of config)
  "The model that the settings of Ernie 4.5 describe."
  (let* ((config (%config-with config %ernie-defaults))
         (bias (%config-flag config "use_bias" #f)))
    (llama-like (%config-with config (list (cons "mlp_bias" bias)))
                :bias bias :out-bias bias :tied #t
                :rotation (decoder-rotation-of config :interleaved #t))))

;; What files leave out.
(define %ernie-defaults
  '(("rms_norm_eps" . 1e-5) ("rope_theta" . 500000.0)))

(define-module (corrected-choice top count :least 1e-12)
  "The experts of tokens for mixture-of-experts, whose probabilities have a bias
  while the top of them are chosen: scores [m, count] -> a pair of tensors [m,
  top].  Weights are divided by their sum, or by least, if that is larger."
  ((top top)
   (least least)
   (bias (tensor-zeros 1 count) :buffer))
  (forward (scores)
    (let ((shares (tensor-softmax scores -1 'float32)))
      (let-list (((biased chosen) (tensor-topk (+ shares bias) top -1)))
        (let ((weights (tensor-gather shares 1 chosen)))
          (cons chosen
                (tensor-to (/ weights
                              (tensor-clamp-min
                               (tensor-sum weights -1 :keepdim #t) least))
                           (tensor-dtype scores))))))))

(define (%ernie-moe-of config)
  "The model that the settings of Ernie 4.5's mixture of experts describe.  Its
  first layers have plain MLPs."
  (let* ((config (%config-with config %ernie-moe-defaults))
         (bias (%config-flag config "use_bias" #f))
         (config (%config-with config (list (cons "mlp_bias" bias)))))
    (llama-like config
                :bias bias :out-bias bias :tied #t :head-bias bias
                :rotation (decoder-rotation-of config :interleaved #t)
                :mlp (lambda (layer)
                       (if (%ernie-sparse? config layer)
                           (%ernie-experts config bias)
                           (config-mlp config)))
                :rules '(("choose.bias"
                          :from "moe_statics.e_score_correction_bias")
                         (shared_expert :from shared_experts)))))

;; What files leave out.
(define %ernie-moe-defaults
  '(("rms_norm_eps" . 1e-5) ("rope_theta" . 500000.0) ("moe_num_experts" . 64)
    ("moe_k" . 6) ("moe_num_shared_experts" . 2)
    ("moe_intermediate_size" . 1536) ("num_experts_per_tok" "moe_k")))

(define (%ernie-sparse? config layer)
  "Whether a layer has experts."
  (let ((end (config-ref config "moe_layer_end_index" -1)))
    (unless (and (exact-integer? end) (>= end -1))
      (%bad-setting "moe_layer_end_index" "an integer from -1 up" end))
    (and (zero? (remainder (+ layer 1)
                           (%config-size config "moe_layer_interval" 1)))
         (>= layer (%config-count config "moe_layer_start_index" 1))
         (or (= end -1) (<= layer end)))))

(define (%ernie-experts config bias)
  "The experts of a layer."
  (let* ((width (%config-size config "hidden_size"))
         (hidden (%config-size config "moe_intermediate_size"))
         (count (%config-size config "moe_num_experts"))
         (shared (%config-count config "moe_num_shared_experts" 2))
         (top (%config-experts config count))
         (activation (%config-name config "hidden_act" "silu")))
    (mixture-of-experts
     width count top
     (lambda () (gated-mlp width hidden :activation activation))
     :choose (corrected-choice top count
                               :least (%config-number config "moe_norm_min"
                                                      1e-12))
     :shared (and (> shared 0)
                  (gated-mlp width (* shared hidden) :activation activation
                             :bias bias))
     :shared-gated #f)))
