;; mamba.lisp - Mamba (Gu and Dao 2023): layers of a state for each channel,
;; whose decay, input and output depend on the token.
;;
;;     state'  =  exp(d a) * state + d x b         for each channel, [size]
;;     y       =  state' . c + skip * x

(define-module (stream-norm size :eps 1e-5)
  "The norm of a sum that may be more precise than the weight.  x [..., size] ->
  the same shape, in the dtype of the weight."
  ((eps eps)
   (weight (tensor-ones size) :parameter))
  (forward (x)
    (tensor-fused-rms-norm (tensor-to x (tensor-dtype weight)) weight eps 0.0)))

(define-module (mixer-layer norm mixer precise)
  "x + mixer(norm(x)); precise: the sum is float32.  x [n, t, width] -> the same
  shape."
  ((norm norm)
   (mixer mixer)
   (precise precise))
  (forward (x step)
    (let ((y (mixer (norm x) step)))
      (+ (if precise (tensor-to x 'float32) x) y))))


(define-module (mamba-mixer width inner state rank kernel layer
                            :activation "silu" :bias #f :conv-bias #t)
  "The layer of states.  x [n, t, width] -> the same shape.  inner: how many
  channels; state: the size of each one's state; rank: that of the projection
  of steps."
  ((layer layer)
   (rank rank)
   (state state)
   (activation (%plain-activation activation))
   (in-proj (blank-linear width (* 2 inner) :bias bias))
   (conv1d (causal-conv inner kernel :bias conv-bias))
   (x-proj (blank-linear inner (+ rank (* 2 state))))
   (dt-proj (blank-linear rank inner :bias #t))
   (a-log (tensor-empty inner state :dtype (%weight-dtype)) :parameter)
   (d (tensor-ones inner :dtype (%weight-dtype)) :parameter)
   (out-proj (blank-linear inner width :bias bias)))
  (forward (x step)
    (let-list (((inputs gate)
                (tensor-chunk (in-proj x) 2 -1)))
      (let* ((before (%step-state step layer))
             (mixed (conv1d (%only-real step inputs) (and before (car before))))
             (inputs (%only-real step (activation (car mixed))))
             (parts (tensor-split (x-proj inputs) (list rank state state) -1))
             (result (%selective-scan
                      inputs (tensor-softplus
                              (tensor-to (dt-proj (car parts)) 'float32))
                      (tensor-neg (tensor-exp (tensor-to a-log 'float32)))
                      (cadr parts) (caddr parts)
                      (and before (cadr before))))
             (y (+ (car result) (* (tensor-to inputs 'float32) d))))
        (%set-step-state! step layer (list (cadr mixed) (cadr result)))
        (out-proj (* (tensor-to y (tensor-dtype gate))
                     (activation gate)))))))

(define (%selective-scan x steps a b c state)
  "A list of y [n, t, channels] and the last state.  x and steps [n, t,
  channels], a [channels, size], b and c [n, t, size]; state [n, channels, size]
  or #f."
  (%in-chunks
   (lambda (state parts)
     (let-list (((x steps b c) parts))
       (let* ((decays (tensor-exp (* (tensor-unsqueeze steps -1) a)))
              (inputs (* (tensor-unsqueeze (* steps x) -1)
                         (tensor-unsqueeze b 2)))
              (states (%linear-scan decays inputs state)))
         (list (tensor-squeeze (tensor-matmul states (tensor-unsqueeze c -1))
                               -1)
               (tensor-select states 1 -1)))))
   state
   (map (lambda (each) (tensor-to each 'float32)) (list x steps b c))))

(define (%linear-scan decays inputs state)
  "All states of s' = decay * s + input, [n, t, ...] each: those of ever longer
  spans, each twice as long as before (Hillis and Steele 1986)."
  (let* ((first (tensor-narrow inputs 1 0 1))
         (first (if state
                    (+ first (* (tensor-narrow decays 1 0 1)
                                (tensor-unsqueeze state 1)))
                    first))
         (t (tensor-size inputs 1))
         (rest (tensor-narrow inputs 1 1 (- t 1))))
    (let loop ((span 1) (decays decays)
               (sums (if (= t 1) first (tensor-cat (list first rest) 1))))
      (if (>= span t)
          sums
          (let ((late (tensor-narrow decays 1 span (- t span)))
                (join (lambda (x later)
                        (tensor-cat (list (tensor-narrow x 1 0 span) later)
                                    1))))
            (loop (* 2 span)
                  (join decays
                        (* late (tensor-narrow decays 1 0 (- t span))))
                  (join sums
                        (+ (tensor-narrow sums 1 span (- t span))
                           (* late (tensor-narrow sums 1 0 (- t span)))))))))))

(define (%mamba-of config)
  "The model that the settings of Mamba describe."
  (let* ((width (%config-size config "hidden_size"))
         (inner (exact (floor (* width (%config-number config "expand" 2)))))
         (rank (config-ref config "time_step_rank" "auto"))
         (bias (%config-flag config "use_bias" #f)))
    (%state-space-model
     config #t
     (lambda (k)
       (mamba-mixer width inner (%config-size config "state_size" 16)
                    (if (equal? rank "auto")
                        (quotient (+ width 15) 16)
                        (%config-size config "time_step_rank"))
                    (%config-size config "conv_kernel" 4)
                    k :activation (%config-name config "hidden_act" "silu")
                    :bias bias
                    :conv-bias (%config-flag config "use_conv_bias" #t))))))

(define (%state-space-model config tied mixer)
  "The model of layers that a procedure creates."
  (let* ((width (%config-size config "hidden_size"))
         (eps (%config-number config "layer_norm_epsilon" 1e-5))
         (precise (%config-flag config "residual_in_fp32" #t))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (mixer-layer (stream-norm width :eps eps) (mixer k)
                                         precise))
                          (range (%config-size config "num_hidden_layers")))
             :norm (stream-norm width :eps eps)
             :lm-head (head-of config table tied)
             :states #t
             :rules (list '(embed_tokens :from embeddings)
                          '("mixer.a_log" :from "mixer.A_log")
                          '("mixer.d" :from "mixer.D")
                          %final-norm-name
                          (base-prefix "backbone")))))

(define (%final-norm-name name)
  "The name of the last norm; layers and mixers have norms, too."
  (if (string-prefix? "norm." name)
      (string "norm_f." (substring name 5 (string-length name)))
      name))
