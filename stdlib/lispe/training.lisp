;; training.lisp - optimizers, schedules and losses as LispETorch names them.
;;
;; LispETorch makes some optimizers without parameters, which they get later:
;; so an optimizer here is a record that holds Lambent's once there are some.

(define-record-type %training-type (%make-training kind rate decay parameters inner)
  %training?
  (kind %training-kind)
  (rate %training-rate %set-training-rate!)
  (decay %training-decay)
  (parameters %training-parameters %set-training-parameters!)
  (inner %training-inner %set-training-inner!))

(define (%new-training kind rate decay parameters)
  "An optimizer of a kind: \"adam\", \"adamw\", \"sgd\" or \"rmsprop\"."
  (unless (member kind '("adam" "adamw" "sgd" "rmsprop"))
    (%fail "unknown optimizer " kind ": expected adam, adamw, sgd or rmsprop"))
  (let ((made (%make-training kind rate decay '() #f)))
    (%add-parameters! made parameters)))

(define (%add-parameters! training parameters)
  "Add parameters to an optimizer; returns it."
  (let ((new (remove (lambda (x) (memq x (%training-parameters training)))
                     parameters)))
    (when (pair? new)
      (%set-training-parameters! training
                                 (append (%training-parameters training) new))
      (if (%training-inner training)
          (add-parameter-group! (%training-inner training)
                                (parameter-group new))
          (%set-training-inner! training (%new-inner training))))
    training))

(define (%new-inner training)
  "Lambent's optimizer of a kind."
  (let ((parameters (%training-parameters training))
        (lr (%training-rate training))
        (decay (%training-decay training)))
    (case (string->symbol (%training-kind training))
      ((adam) (adam parameters :lr lr :weight-decay (or decay 0.0)))
      ((adamw) (adamw parameters :lr lr :weight-decay (or decay 0.01)))
      ((sgd) (sgd parameters :lr lr :weight-decay (or decay 0.0)))
      (else (rmsprop parameters :lr lr :weight-decay (or decay 0.0))))))

(define (%trainable x)
  "The parameters that learn: of a model, of models in a list, or themselves."
  (cond ((tensor? x) (list x))
        ((%list? x) (append-map %trainable (%elements x)))
        ((hash-table? x) (filter tensor? (hash-values x)))
        ((torchscript-module? x) (map cdr (module-parameters x)))
        ((module? x) (filter requires-grad? (parameters x)))
        (else (%fail "expected a model or parameters, got " (%text x)))))

(define (%optimizer-text x)
  (string "PyTorch Optimizer (" (%training-kind x)
          ", lr=" (%number-text (%training-rate x)) ")"))

(define (torch_optimizer model rate . kind)
  "An optimizer of a model's parameters, or of a list of models or parameters;
  kind is \"adam\" (the default), \"adamw\", \"sgd\" or \"rmsprop\"."
  (%new-training (string-downcase (%option kind 0 "adam")) (inexact rate) #f
                 (%trainable model)))

(define (%optimizer-of kind arguments)
  "(rate), (model rate) or (rate weight-decay): an optimizer, perhaps without
  parameters yet."
  (let ((rates (filter number? arguments)))
    (%new-training kind (inexact (%option rates 0 0.001)) (%option rates 1 #f)
                   (append-map %trainable (remove number? arguments)))))

(define (torch_adam_optimizer . arguments)
  "Adam with a learning rate; torch_optimizer_add_params gives it parameters."
  (%optimizer-of "adam" arguments))

(define (torch_adamw_optimizer . arguments)
  "AdamW with a learning rate; torch_optimizer_add_params gives it parameters."
  (%optimizer-of "adamw" arguments))

(define (torch_sgd_optimizer . arguments)
  "SGD with a learning rate; torch_optimizer_add_params gives it parameters."
  (%optimizer-of "sgd" arguments))

(define (torch_optimizer_add_params first . others)
  "(torch_optimizer_add_params parameters rate weight_decay) is an AdamW;
  (torch_optimizer_add_params optimizer parameters) adds to one."
  (if (%training? first)
      (%add-parameters! first (%trainable (car others)))
      (%new-training "adamw" (inexact (%option others 0 0.001))
                     (inexact (%option others 1 0.01)) (%trainable first))))

(define (%inner who training)
  "Lambent's optimizer inside one."
  (unless (%training? training)
    (%fail who ": expected an optimizer, got " (%text training)))
  (or (%training-inner training)
      (%fail who ": the optimizer has no parameters, which "
             "torch_optimizer_add_params adds")))

(define (torch_optimizer_step optimizer)
  "Change the parameters by their gradients."
  (optimizer-step (%inner "torch_optimizer_step" optimizer))
  #t)

(define (torch_optimizer_zero_grad optimizer)
  "Forget the gradients."
  (zero-grad (%inner "torch_optimizer_zero_grad" optimizer))
  #t)

(define (torch_clip_grad_norm optimizer greatest)
  "Scale the gradients so that their norm is at most that; the norm before."
  (%inner "torch_clip_grad_norm" optimizer)
  (tensor-item (clip-grad-norm! (%training-parameters optimizer)
                                (inexact greatest))))

;; Losses.

(define (torch_mse_loss predictions targets)
  "The mean of the squared differences."
  (mse-loss predictions targets))

(define (torch_cross_entropy predictions targets)
  "The negative logarithm of the probability of the right classes: predictions
  [..., classes], targets int64 [...]."
  (let ((classes (tensor-size predictions -1)))
    (cross-entropy (tensor-reshape predictions (list -1 classes))
                   (tensor-reshape (tensor-to targets 'int64) '(-1)))))

(define (torch_crossentropy_loss predictions targets)
  "The same as torch_cross_entropy."
  (torch_cross_entropy predictions targets))

;; Schedules.

(define-record-type %rates-type (%make-rates optimizer kind config step rate)
  %rates?
  (optimizer %rates-optimizer)
  (kind %rates-kind)
  (config %rates-config)
  (step %rates-step %set-rates-step!)
  (rate %rates-rate %set-rates-rate!))

(define (torch_lr_scheduler optimizer kind . config)
  "A schedule of learning rates: \"cosine\", \"linear\", \"exponential\",
  \"step\", \"constant\", \"linear_warmup_cosine\", \"linear_warmup\".  config: a
  dictionary with initial_lr, min_lr, total_steps, warmup_steps, gamma and
  step_size."
  (unless (%training? optimizer)
    (%fail "torch_lr_scheduler: expected an optimizer, got " (%text optimizer)))
  (unless (assoc kind %rate-names)
    (%fail "torch_lr_scheduler: unknown kind " kind))
  (let* ((given (%option config 0 #f))
         (rates (%make-rates optimizer kind given 0
                             (%config-ref given "initial_lr"
                                          (%training-rate optimizer)))))
    (%apply-rate! rates (%rate-at rates))
    rates))

(define %rate-names
  '(("cosine" . "Cosine") ("linear" . "Linear") ("exponential" . "Exponential")
    ("step" . "Step") ("constant" . "Constant")
    ("linear_warmup_cosine" . "Linear Warmup Cosine")
    ("warmup_cosine" . "Linear Warmup Cosine")
    ("linear_warmup" . "Linear Warmup")))

(define (%rate-at rates)
  "The rate of a schedule's step."
  (let* ((config (%rates-config rates))
         (start (%config-ref config "initial_lr"
                             (%training-rate (%rates-optimizer rates))))
         (least (%config-ref config "min_lr" 0.0))
         (total (%config-ref config "total_steps" 1000))
         (warmup (%config-ref config "warmup_steps" 0))
         (gamma (%config-ref config "gamma" 0.1))
         (k (%rates-step rates))
         (warm? (string-contains (%rates-kind rates) "warmup")))
    (if (and warm? (< k warmup))
        (/ (* start k) (inexact warmup))
        (%decayed (%rates-kind rates) start least gamma
                  (%config-ref config "step_size" 30) k
                  (%progress (if warm? (- k warmup) k)
                             (if warm? (- total warmup) total))))))

(define (%progress k total)
  "The part of the way, from 0 to 1."
  (max 0.0 (min 1.0 (/ (inexact k) (max 1 total)))))

(define (%decayed kind start least gamma size k way)
  (cond ((string-contains kind "cosine")
         (+ least (* 0.5 (- start least) (+ 1.0 (cos (* 3.141592653589793 way))))))
        ((string-prefix? "linear" kind) (+ start (* way (- least start))))
        ((equal? kind "exponential") (max least (* start (expt (inexact gamma) k))))
        ((equal? kind "step")
         (max least (* start (expt (inexact gamma) (quotient k size)))))
        (else start)))

(define (%apply-rate! rates rate)
  (let ((optimizer (%rates-optimizer rates)))
    (%set-rates-rate! rates rate)
    (%set-training-rate! optimizer rate)
    (when (%training-inner optimizer)
      (set-learning-rate! (%training-inner optimizer) (inexact rate)))))

(define (torch_scheduler_step scheduler)
  "Set the rate of the next step; call it after torch_optimizer_step."
  (%set-rates-step! scheduler (+ 1 (%rates-step scheduler)))
  (%apply-rate! scheduler (%rate-at scheduler))
  #t)

(define (torch_scheduler_get_lr scheduler)
  "The present learning rate."
  (%rates-rate scheduler))

(define (torch_scheduler_set_lr scheduler rate)
  "Set the rate until the next step of the schedule."
  (%apply-rate! scheduler (inexact rate))
  #t)

(define (%rates-text x)
  (string "LR Scheduler (" (cdr (assoc (%rates-kind x) %rate-names))
          ", step=" (%rates-step x)
          ", lr=" (%number-text (%rates-rate x)) ")"))
