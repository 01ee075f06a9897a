;; optimizer-algorithms.lisp - SGD, Adam, AdamW, RMSprop, Adagrad, Lion.
;;
;; Defaults, formulas and names of state are those of torch.optim.  Where
;; LibTorch has a fused operator, a step is one pass over the memory of all
;; parameters.  The other algorithms are written twice: with an operator for
;; each parameter, which is 1.1 to 1.6 times as fast on a CPU and needs memory
;; for one parameter at a time, and with operators over lists, which start
;; fewer kernels on a GPU.

;; Stochastic gradient descent.

(define (%sgd-algorithm)
  (%make-algorithm 'sgd
                   (lambda (options)
                     (if (> (%hyper options 'momentum) 0)
                         '("momentum_buffer")
                         '()))
                   (lambda (options cohort gradients)
                     (%sgd-update! options cohort gradients))
                   (lambda (options cohort gradients)
                     (%sparse-sgd-update! options cohort gradients))))

(define (sgd parameters :lr 0.001 :momentum 0 :dampening 0 :weight-decay 0
             :nesterov #f :maximize #f)
  "Stochastic gradient descent.  A parameter p with gradient g and velocity v,
  which begins as g:

  g <- g + weight-decay p,  v <- momentum v + (1 - dampening) g,  p <- p - lr v

  With :nesterov #t, p moves by g + momentum v instead of v; with :maximize #t
  it climbs.  parameters is a list of tensors, or of `parameter-group`s.
  Sparse gradients are accepted without momentum and weight decay.  (Sutskever
  et al. 2013.)"
  (%build-optimizer (%sgd-algorithm) parameters
                    (list (cons 'lr lr) (cons 'momentum momentum)
                          (cons 'dampening dampening)
                          (cons 'weight-decay weight-decay)
                          (cons 'nesterov nesterov)
                          (cons 'maximize maximize))))

(define (%sgd-update! options cohort gradients)
  (tensor--fused-sgd! (%cohort-parameters cohort) gradients
                      (if (pair? (%cohort-state cohort))
                          (car (%cohort-state cohort))
                          '())
                      :weight-decay (%hyper options 'weight-decay)
                      :momentum (%hyper options 'momentum)
                      :lr (%hyper options 'lr)
                      :dampening (%hyper options 'dampening)
                      :nesterov (%hyper options 'nesterov)
                      :maximize (%hyper options 'maximize)
                      :is-first-step (= (%cohort-steps cohort) 1)))

(define (%sparse-sgd-update! options cohort gradients)
  (unless (and (= (%hyper options 'momentum) 0)
               (= (%hyper options 'weight-decay) 0))
    (error (string "optimizer-step: sgd takes sparse gradients only without "
                   "momentum and weight decay, which are")
           (%hyper options 'momentum) (%hyper options 'weight-decay)))
  (let ((lr (%hyper options 'lr)))
    (for-each (lambda (p g)
                (tensor-add! p g :alpha (if (%hyper options 'maximize)
                                            lr
                                            (- lr))))
              (%cohort-parameters cohort) gradients)))

;; Adam and AdamW.

(define (%adam-state-names options)
  (if (%hyper options 'amsgrad)
      '("exp_avg" "exp_avg_sq" "max_exp_avg_sq")
      '("exp_avg" "exp_avg_sq")))

(define (%adam-algorithm)
  (%make-algorithm 'adam
                   (lambda (options) (%adam-state-names options))
                   (lambda (options cohort gradients)
                     (%adam-update! tensor--fused-adam! options cohort
                                    gradients))
                   #f))

(define (%adamw-algorithm)
  (%make-algorithm 'adamw
                   (lambda (options) (%adam-state-names options))
                   (lambda (options cohort gradients)
                     (%adam-update! tensor--fused-adamw! options cohort
                                    gradients))
                   #f))

(define (%adam-update! fused! options cohort gradients)
  (let ((betas (%hyper options 'betas))
        (state (%cohort-state cohort)))
    (fused! (%cohort-parameters cohort) gradients (car state) (cadr state)
            (if (%hyper options 'amsgrad) (caddr state) '())
            (%step-counters cohort)
            :lr (%hyper options 'lr)
            :beta1 (car betas)
            :beta2 (cadr betas)
            :weight-decay (%hyper options 'weight-decay)
            :eps (%hyper options 'eps)
            :amsgrad (%hyper options 'amsgrad)
            :maximize (%hyper options 'maximize))))

(define (%adam-options lr betas eps weight-decay amsgrad maximize)
  (list (cons 'lr lr) (cons 'betas betas) (cons 'eps eps)
        (cons 'weight-decay weight-decay) (cons 'amsgrad amsgrad)
        (cons 'maximize maximize)))

(define (adam parameters :lr 1e-3 :betas '(0.9 0.999) :eps 1e-8
              :weight-decay 0 :amsgrad #f :maximize #f)
  "Adam (Kingma and Ba 2015).  A parameter p with gradient g and averages m and
  v, which begin as zeros, in step t:

  g <- g + weight-decay p
  m <- beta1 m + (1 - beta1) g,  v <- beta2 v + (1 - beta2) g g
  p <- p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

  With :amsgrad #t the largest v so far divides (Reddi et al. 2018); with
  :maximize #t it climbs.  parameters is a list of tensors, or of
  `parameter-group`s."
  (%build-optimizer (%adam-algorithm) parameters
                    (%adam-options lr betas eps weight-decay amsgrad
                                   maximize)))

(define (adamw parameters :lr 1e-3 :betas '(0.9 0.999) :eps 1e-8
               :weight-decay 1e-2 :amsgrad #f :maximize #f)
  "AdamW (Loshchilov and Hutter 2019): as `adam`, but the weight decay does not
  pass through the averages: p <- p - lr weight-decay p."
  (%build-optimizer (%adamw-algorithm) parameters
                    (%adam-options lr betas eps weight-decay amsgrad
                                   maximize)))

;; RMSprop.

(define (%rmsprop-algorithm)
  (%make-algorithm 'rmsprop
                   (lambda (options)
                     (append '("square_avg")
                             (if (> (%hyper options 'momentum) 0)
                                 '("momentum_buffer")
                                 '())
                             (if (%hyper options 'centered)
                                 '("grad_avg")
                                 '())))
                   (lambda (options cohort gradients)
                     (%rmsprop-update! options cohort gradients))
                   #f))

(define (rmsprop parameters :lr 0.01 :alpha 0.99 :eps 1e-8 :weight-decay 0
                 :momentum 0 :centered #f :maximize #f :foreach 'auto)
  "RMSprop (Hinton 2012).  A parameter p with gradient g and average s, which
  begins as zeros:

  g <- g + weight-decay p,  s <- alpha s + (1 - alpha) g g
  p <- p - lr g / (sqrt(s) + eps)

  With :centered #t, the square of the average gradient is subtracted from s
  (Graves 2013); with a momentum, p moves by a velocity.  parameters is a list
  of tensors, or of `parameter-group`s.  :foreach says whether to call operators
  over lists, which need more memory: not on a CPU, unless told to."
  (%build-optimizer (%rmsprop-algorithm) parameters
                    (list (cons 'lr lr) (cons 'momentum momentum)
                          (cons 'alpha alpha) (cons 'eps eps)
                          (cons 'centered centered)
                          (cons 'weight-decay weight-decay)
                          (cons 'maximize maximize)
                          (cons 'foreach foreach))))

(define (%over-lists? options cohort)
  "Whether to call operators over the lists of a cohort."
  (let ((wanted (%hyper options 'foreach)))
    (if (eq? wanted 'auto)
        (not (string-prefix? "cpu" (string (tensor-device
                                            (car (%cohort-parameters
                                                  cohort))))))
        wanted)))

(define (%rmsprop-update! options cohort gradients)
  (let* ((parameters (%cohort-parameters cohort))
         (state (%cohort-state cohort))
         (velocities (if (> (%hyper options 'momentum) 0) (cadr state) '()))
         (averages (if (%hyper options 'centered) (last state) '())))
    (if (%over-lists? options cohort)
        (%rmsprop-lists! options parameters
                         (%directions options parameters gradients)
                         (car state) velocities averages)
        (%rmsprop-each! options parameters gradients
                        (car state) velocities averages))))

(define (%rmsprop-each! options parameters gradients squares velocities averages)
  "Step one parameter after the other; the last two lists may be empty."
  (unless (null? parameters)
    (%rmsprop-step! options (car parameters)
                    (%direction options (car parameters) (car gradients))
                    (car squares)
                    (and (pair? velocities) (car velocities))
                    (and (pair? averages) (car averages)))
    (%rmsprop-each! options (cdr parameters) (cdr gradients) (cdr squares)
                    (if (pair? velocities) (cdr velocities) '())
                    (if (pair? averages) (cdr averages) '()))))

(define (%rmsprop-step! options p g squares velocity average)
  "Step one parameter."
  (let ((alpha (%hyper options 'alpha))
        (lr (%hyper options 'lr)))
    (tensor-addcmul! (tensor-mul! squares alpha) g g :value (- 1 alpha))
    (when average
      (tensor-lerp! average g (- 1 alpha)))
    (let ((divisor (tensor-add!
                    (if average
                        (tensor-sqrt! (tensor-addcmul squares average average
                                                      :value -1))
                        (tensor-sqrt squares))
                    (%hyper options 'eps))))
      (cond (velocity
             (tensor-addcdiv! (tensor-mul! velocity (%hyper options 'momentum))
                              g divisor)
             (tensor-add! p velocity :alpha (- lr)))
            (else (tensor-addcdiv! p g divisor :value (- lr)))))))

(define (%rmsprop-lists! options parameters gradients squares velocities
                         averages)
  "Step all parameters at once; the last two lists may be empty."
  (let ((alpha (%hyper options 'alpha))
        (lr (%hyper options 'lr)))
    (tensor--foreach-mul! squares alpha)
    (tensor--foreach-addcmul! squares gradients gradients (- 1 alpha))
    (when (pair? averages)
      (tensor--foreach-lerp! averages gradients (- 1 alpha)))
    (let ((divisors (if (pair? averages)
                        (tensor--foreach-addcmul squares averages averages -1)
                        (tensor--foreach-clone squares))))
      (tensor--foreach-sqrt! divisors)
      (tensor--foreach-add! divisors (%hyper options 'eps))
      (cond ((pair? velocities)
             (tensor--foreach-mul! velocities (%hyper options 'momentum))
             (tensor--foreach-addcdiv! velocities gradients divisors)
             (tensor--foreach-add! parameters velocities :alpha (- lr)))
            (else
             (tensor--foreach-addcdiv! parameters gradients divisors
                                       (- lr)))))))

(define (%direction options p gradient)
  "The gradient to descend by: with the weight decay, negated to climb."
  (let ((decay (%hyper options 'weight-decay))
        (g (if (%hyper options 'maximize) (tensor-neg gradient) gradient)))
    (if (> decay 0)
        (tensor-add g p :alpha decay)
        g)))

(define (%directions options parameters gradients)
  "The gradients to descend by, of all parameters at once."
  (let ((decay (%hyper options 'weight-decay))
        (gs (if (%hyper options 'maximize)
                (tensor--foreach-neg gradients)
                gradients)))
    (if (> decay 0)
        (tensor--foreach-add gs parameters :alpha decay)
        gs)))

;; Adagrad.

(define (%adagrad-algorithm)
  (%make-algorithm 'adagrad
                   (lambda (options) '("sum"))
                   (lambda (options cohort gradients)
                     (%adagrad-update! options cohort gradients))
                   (lambda (options cohort gradients)
                     (%sparse-adagrad-update! options cohort gradients))))

(define (adagrad parameters :lr 0.01 :lr-decay 0 :weight-decay 0
                 :initial-accumulator-value 0 :eps 1e-10 :maximize #f)
  "Adagrad (Duchi et al. 2011).  A parameter p with gradient g and sum s, which
  begins as initial-accumulator-value, in step t:

  g <- g + weight-decay p,  s <- s + g g
  p <- p - lr / (1 + (t - 1) lr-decay) g / (sqrt(s) + eps)

  parameters is a list of tensors, or of `parameter-group`s.  Sparse gradients
  are accepted without weight decay."
  (%build-optimizer (%adagrad-algorithm) parameters
                    (list (cons 'lr lr) (cons 'lr-decay lr-decay)
                          (cons 'eps eps) (cons 'weight-decay weight-decay)
                          (cons 'initial-accumulator-value
                                initial-accumulator-value)
                          (cons 'maximize maximize))))

(define (%adagrad-update! options cohort gradients)
  (%begin-sums! options cohort)
  (tensor--fused-adagrad! (%cohort-parameters cohort) gradients
                          (car (%cohort-state cohort))
                          (%step-counters cohort)
                          :lr (%hyper options 'lr)
                          :lr-decay (%hyper options 'lr-decay)
                          :weight-decay (%hyper options 'weight-decay)
                          :eps (%hyper options 'eps)
                          :maximize (%hyper options 'maximize)))

(define (%begin-sums! options cohort)
  "In the first step, set the sums to their initial value."
  (when (= (%cohort-steps cohort) 1)
    (for-each (lambda (sum)
                (tensor-fill! sum (%hyper options
                                           'initial-accumulator-value)))
              (car (%cohort-state cohort)))))

(define (%sparse-adagrad-update! options cohort gradients)
  (unless (= (%hyper options 'weight-decay) 0)
    (error (string "optimizer-step: adagrad takes sparse gradients only "
                   "without weight decay, which is")
           (%hyper options 'weight-decay)))
  (%begin-sums! options cohort)
  (let* ((slower (+ 1 (* (- (%cohort-steps cohort) 1)
                         (%hyper options 'lr-decay))))
         (rate (/ (%hyper options 'lr) slower))
         (rate (if (%hyper options 'maximize) rate (- rate))))
    (for-each (lambda (p g sum)
                (%sparse-adagrad-step! p (tensor-coalesce g) sum rate
                                       (%hyper options 'eps)))
              (%cohort-parameters cohort) gradients
              (car (%cohort-state cohort)))))

(define (%sparse-adagrad-step! p g sum rate eps)
  "Change the elements of one parameter that a coalesced gradient has."
  (let* ((with-values (lambda (values)
                        (tensor-sparse-coo-tensor (tensor-indices g) values
                                                  (tensor-shape g))))
         (values (tensor-values g)))
    (tensor-add! sum (with-values (square values)))
    (let ((sums (tensor-values (tensor-sparse-mask sum g))))
      (tensor-add! p (with-values (/ values (+ (sqrt sums) eps)))
                   :alpha rate))))

;; Lion.

(define (%lion-algorithm)
  (%make-algorithm 'lion
                   (lambda (options) '("exp_avg"))
                   (lambda (options cohort gradients)
                     (%lion-update! options cohort gradients))
                   #f))

(define (lion parameters :lr 1e-4 :betas '(0.9 0.99) :weight-decay 0
              :maximize #f :foreach 'auto)
  "Lion (Chen et al. 2023), which keeps one tensor for each parameter, and
  moves by signs.  A parameter p with gradient g and average m, which begins as
  zeros:

  p <- p - lr (sign(beta1 m + (1 - beta1) g) + weight-decay p)
  m <- beta2 m + (1 - beta2) g

  Its learning rate is 3 to 10 times below that of `adamw`, its weight decay
  that much above.  parameters is a list of tensors, or of `parameter-group`s;
  :foreach is that of `rmsprop`."
  (%build-optimizer (%lion-algorithm) parameters
                    (list (cons 'lr lr) (cons 'betas betas)
                          (cons 'weight-decay weight-decay)
                          (cons 'maximize maximize)
                          (cons 'foreach foreach))))

(define (%lion-update! options cohort gradients)
  (let ((parameters (%cohort-parameters cohort))
        (averages (car (%cohort-state cohort))))
    (if (%over-lists? options cohort)
        (%lion-lists! options parameters gradients averages)
        (for-each (lambda (p g average) (%lion-step! options p g average))
                  parameters gradients averages))))

(define (%lion-step! options p g average)
  "Step one parameter."
  (let ((betas (%hyper options 'betas))
        (lr (%hyper options 'lr))
        (decay (%hyper options 'weight-decay)))
    (when (> decay 0)
      (tensor-mul! p (- 1 (* lr decay))))
    (let ((g (if (%hyper options 'maximize) (tensor-neg g) g)))
      (tensor-add! p (tensor-sign! (tensor-lerp average g (- 1 (car betas))))
                   :alpha (- lr))
      (tensor-lerp! average g (- 1 (cadr betas))))))

(define (%lion-lists! options parameters gradients averages)
  "Step all parameters at once."
  (let ((betas (%hyper options 'betas))
        (lr (%hyper options 'lr))
        (decay (%hyper options 'weight-decay))
        (gs (if (%hyper options 'maximize)
                (tensor--foreach-neg gradients)
                gradients)))
    (when (> decay 0)
      (tensor--foreach-mul! parameters (- 1 (* lr decay))))
    (let ((signs (tensor--foreach-lerp averages gs (- 1 (car betas)))))
      (tensor--foreach-sign! signs)
      (tensor--foreach-add! parameters signs :alpha (- lr)))
    (tensor--foreach-lerp! averages gs (- 1 (cadr betas)))))
