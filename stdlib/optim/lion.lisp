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
        (for-each (%lion-stepper options) parameters gradients averages))))

(define (%lion-stepper options)
  "The procedure that steps one parameter; it looks the options up once."
  (let* ((betas (%hyper options 'betas))
         (blend (- 1 (car betas)))
         (keep (- 1 (cadr betas)))
         (lr (%hyper options 'lr))
         (decay (%hyper options 'weight-decay))
         (climb (%hyper options 'maximize)))
    (lambda (p gradient average)
      (when (> decay 0)
        (tensor-mul! p (- 1 (* lr decay))))
      (let ((g (if climb (tensor-neg gradient) gradient)))
        (tensor-add! p (tensor-sign! (tensor-lerp average g blend))
                     :alpha (- lr))
        (tensor-lerp! average g keep)))))

(define (%lion-lists! options parameters gradients averages)
  "Step all parameters at once."
  (let ((betas (%hyper options 'betas))
        (lr (%hyper options 'lr))
        (decay (%hyper options 'weight-decay))
        (gs (if (%hyper options 'maximize)
                (tensor-private--foreach-neg gradients)
                gradients)))
    (when (> decay 0)
      (tensor-private--foreach-mul! parameters (- 1 (* lr decay))))
    (let ((signs (tensor-private--foreach-lerp averages gs (- 1 (car betas)))))
      (tensor-private--foreach-sign! signs)
      (tensor-private--foreach-add! parameters signs :alpha (- lr)))
    (tensor-private--foreach-lerp! averages gs (- 1 (cadr betas)))))
