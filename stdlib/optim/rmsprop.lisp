;; rmsprop.lisp - RMSprop, for which LibTorch has no fused operator.
;;
;; It is written twice: with operators for each parameter, which are 1.2 to 1.6
;; times as fast on a CPU and need memory for one parameter at a time, and with
;; operators over lists, which start fewer kernels on a GPU.

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

(define (%rmsprop-each! options parameters gradients squares velocities
                        averages)
  "Step one parameter after the other; the last two lists may be empty."
  (let ((step! (%rmsprop-stepper options)))
    (let loop ((ps parameters) (gs gradients) (squares squares)
               (velocities velocities) (averages averages))
      (unless (null? ps)
        (step! (car ps) (car gs) (car squares)
               (and (pair? velocities) (car velocities))
               (and (pair? averages) (car averages)))
        (loop (cdr ps) (cdr gs) (cdr squares)
              (if (pair? velocities) (cdr velocities) '())
              (if (pair? averages) (cdr averages) '()))))))

(define (%rmsprop-stepper options)
  "The procedure that steps one parameter; it looks the options up once."
  (let ((alpha (%hyper options 'alpha))
        (lr (%hyper options 'lr))
        (eps (%hyper options 'eps))
        (momentum (%hyper options 'momentum))
        (decay (%hyper options 'weight-decay))
        (climb (%hyper options 'maximize)))
    (lambda (p gradient squares velocity average)
      (let ((g (%direction p gradient decay climb)))
        (tensor-addcmul! (tensor-mul! squares alpha) g g :value (- 1 alpha))
        (when average
          (tensor-lerp! average g (- 1 alpha)))
        (let ((divisor (tensor-add! (%root squares average) eps)))
          (cond (velocity
                 (tensor-addcdiv! (tensor-mul! velocity momentum) g divisor)
                 (tensor-add! p velocity :alpha (- lr)))
                (else (tensor-addcdiv! p g divisor :value (- lr)))))))))

(define (%root squares average)
  "The root of the average square, less the square of the average, if it is
  kept."
  (if average
      (tensor-sqrt! (tensor-addcmul squares average average :value -1))
      (tensor-sqrt squares)))

(define (%rmsprop-lists! options parameters gradients squares velocities
                         averages)
  "Step all parameters at once; the last two lists may be empty."
  (let ((alpha (%hyper options 'alpha))
        (lr (%hyper options 'lr)))
    (tensor-private--foreach-mul! squares alpha)
    (tensor-private--foreach-addcmul! squares gradients gradients (- 1 alpha))
    (when (pair? averages)
      (tensor-private--foreach-lerp! averages gradients (- 1 alpha)))
    (let ((divisors (tensor-private--foreach-sqrt
                     (if (pair? averages)
                         (tensor-private--foreach-addcmul squares averages
                                                          averages -1)
                         squares))))
      (tensor-private--foreach-add! divisors (%hyper options 'eps))
      (cond ((pair? velocities)
             (tensor-private--foreach-mul! velocities
                                           (%hyper options 'momentum))
             (tensor-private--foreach-addcdiv! velocities gradients divisors)
             (tensor-private--foreach-add! parameters velocities :alpha (- lr)))
            (else
             (tensor-private--foreach-addcdiv! parameters gradients divisors
                                               (- lr)))))))

(define (%direction p gradient decay climb)
  "The gradient to descend by: with the weight decay, negated to climb."
  (let ((g (if climb (tensor-neg gradient) gradient)))
    (if (> decay 0)
        (tensor-add g p :alpha decay)
        g)))

(define (%directions options parameters gradients)
  "The gradients to descend by, of all parameters at once."
  (let ((decay (%hyper options 'weight-decay))
        (gs (if (%hyper options 'maximize)
                (tensor-private--foreach-neg gradients)
                gradients)))
    (if (> decay 0)
        (tensor-private--foreach-add gs parameters :alpha decay)
        gs)))
