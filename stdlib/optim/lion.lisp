;; lion.lisp - Lion, for which LibTorch has no fused operator.
;;
;; It is written twice, as RMSprop is.

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
