;; mamba2.lisp - Mamba 2 (Dao and Gu 2024): states of heads, whose decay is one
;; number for each head and token, so that a chunk of time is a few products of
;; matrices.

(define-module (grouped-gated-norm size group :eps 1e-5)
  "The norm of x silu(gate) in groups of features.  x [..., size] -> the same
  shape."
  ((eps eps)
   (group group)
   (weight (tensor-ones size) :parameter))
  (forward (x gate)
    (let* ((x (* (tensor-to x 'float32)
                 (tensor-silu (tensor-to gate 'float32))))
           (groups (tensor-unflatten x -1 (list -1 group)))
           (y (tensor-flatten
               (* groups (tensor-rsqrt (+ (tensor-mean (* groups groups) -1
                                                       :keepdim #t)
                                          eps)))
               -2 -1)))
      (* weight (tensor-to y (tensor-dtype weight))))))

(define-module (mamba2-mixer width heads head-dim state groups kernel layer
                             :activation "silu" :bias #f :conv-bias #t
                             :eps 1e-5 :limits '(0.0 +inf.0))
  "The layer of states.  x [n, t, width] -> the same shape.  state: the size of
  the state of a feature; groups of heads share what their inputs and outputs
  are; limits: of steps."
  ((layer layer)
   (heads heads)
   (sizes (let ((inner (* heads head-dim)) (shared (* groups state)))
            (list inner (+ inner (* 2 shared)) heads)))
   (shared (* groups state))
   (groups groups)
   (limits limits)
   (activation (%plain-activation activation))
   (in-proj (blank-linear width (apply + sizes) :bias bias))
   (conv1d (causal-conv (cadr sizes) kernel :bias conv-bias))
   (dt-bias (tensor-zeros heads :dtype (%weight-dtype)) :parameter)
   (a-log (tensor-zeros heads :dtype (%weight-dtype)) :parameter)
   (d (tensor-ones heads :dtype (%weight-dtype)) :parameter)
   (norm (grouped-gated-norm (car sizes) (quotient (car sizes) groups)
                             :eps eps))
   (out-proj (blank-linear (* heads head-dim) width :bias bias)))
  (forward (x step)
    (let-list (((gate mixed steps)
                (tensor-split (in-proj x) sizes -1)))
      (let* ((before (%step-state step layer))
             (convolved (conv1d (%only-real step mixed)
                                (and before (car before))))
             (parts (tensor-split
                     (tensor-to (%only-real step (activation (car convolved)))
                                'float32)
                     (list (car sizes) shared shared) -1))
             (inputs (tensor-unflatten (car parts) -1 (list heads -1)))
             (by-group (lambda (x) (tensor-unflatten x -1 (list groups -1))))
             (steps (tensor-clamp (tensor-softplus
                                   (tensor-to (+ steps dt-bias) 'float32))
                                  (car limits) (cadr limits)))
             (decays (* steps (tensor-neg
                               (tensor-exp (tensor-to a-log 'float32)))))
             (result (%head-scan (* inputs (tensor-unsqueeze steps -1)) decays
                                 (by-group (cadr parts))
                                 (by-group (caddr parts))
                                 (and before (cadr before))))
             (y (+ (car result) (* inputs (tensor-unsqueeze d -1)))))
        (%set-step-state! step layer (list (cadr convolved) (cadr result)))
        (out-proj (norm (tensor-flatten y -2 -1) gate))))))

(define (%mamba2-of config)
  "The model that the settings of Mamba 2 describe."
  (let* ((width (%config-size config "hidden_size"))
         (heads (%config-size config "num_heads"))
         (size (%config-size config "head_dim" 64))
         (inner (* width (%config-number config "expand" 2))))
    (unless (= inner (* heads size))
      (%bad-setting "num_heads" (format "expand * hidden_size / head_dim, ~a"
                                        (/ inner size))
                    heads))
    (%state-space-model
     config #f
     (lambda (k)
       (mamba2-mixer width heads size (%config-size config "state_size" 128)
                     (%dividing-group config heads)
                     (%config-size config "conv_kernel" 4)
                     k :activation (%config-name config "hidden_act" "silu")
                     :bias (%config-flag config "use_bias" #f)
                     :conv-bias (%config-flag config "use_conv_bias" #t)
                     :eps (%config-number config "layer_norm_epsilon" 1e-5)
                     :limits (%step-limits config))))))

(define (%dividing-group config heads)
  (let ((groups (%config-size config "n_groups" 8)))
    (unless (zero? (remainder heads groups))
      (%bad-setting "n_groups" (format "a divisor of num_heads, ~a" heads)
                    groups))
    groups))

(define (%step-limits config)
  "The least and the largest step."
  (let ((limits (%config-list config "time_step_limit" %limit-of
                              "a list of numbers")))
    (cond ((null? limits) '(0.0 +inf.0))
          ((= (length limits) 2) (map %limit-of limits))
          (else (%bad-setting "time_step_limit" "a list of two numbers"
                              limits)))))

(define (%limit-of x)
  "A limit as a double, or #f.  JSON has no infinity: transformers writes an
  object that names it."
  (cond ((real? x) (inexact x))
        ((and (hash-table? x)
              (equal? (hash-ref x "__float__" #f) "Infinity"))
         +inf.0)
        (else #f)))
