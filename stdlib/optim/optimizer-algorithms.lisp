;; optimizer-algorithms.lisp - SGD, Adam, AdamW and Adagrad.
;;
;; Defaults, formulas and names of state are those of torch.optim.  LibTorch
;; has a fused operator for each: a step is one call, and one pass over the
;; memory of all parameters.

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
  (tensor-private--fused-sgd! (%cohort-parameters cohort) gradients
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
                     (%adam-update! tensor-private--fused-adam! options cohort
                                    gradients))
                   #f))

(define (%adamw-algorithm)
  (%make-algorithm 'adamw
                   (lambda (options) (%adam-state-names options))
                   (lambda (options cohort gradients)
                     (%adam-update! tensor-private--fused-adamw! options cohort
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
  (tensor-private--fused-adagrad! (%cohort-parameters cohort) gradients
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
