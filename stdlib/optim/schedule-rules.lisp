;; schedule-rules.lisp - schedules that follow a formula.
;;
;; They are equal to those of torch.optim.lr_scheduler in every step.  A rule
;; is (rule options step group-index rate first-rate); step 0 begins with the
;; present rate.

(define (step-schedule optimizer :step-size #f :gamma 0.1)
  "Multiply the learning rate by gamma every step-size steps.  (StepLR.)"
  (%check-schedule "step-schedule" optimizer
                   :step-size step-size %count? "a number of steps"
                   :gamma gamma %amount? "a number of at least 0")
  (%new-schedule 'step optimizer
                 (list (cons 'step-size step-size) (cons 'gamma gamma))
                 %step-rule))

(define (%step-rule options step k rate base)
  (if (or (= step 0)
          (not (= 0 (remainder step (%hyper options 'step-size)))))
      rate
      (* rate (%hyper options 'gamma))))

(define (multi-step-schedule optimizer :milestones #f :gamma 0.1)
  "Multiply the learning rate by gamma at each milestone, a number of steps.
  (MultiStepLR.)"
  (%check-schedule "multi-step-schedule" optimizer
                   :milestones milestones
                   (lambda (x) (and (list? x) (every exact-integer? x)))
                   "a list of step numbers"
                   :gamma gamma %amount? "a number of at least 0")
  (%new-schedule 'multi-step optimizer
                 (list (cons 'milestones milestones) (cons 'gamma gamma))
                 %multi-step-rule))

(define (%multi-step-rule options step k rate base)
  (let ((passed (count (lambda (milestone) (= milestone step))
                       (%hyper options 'milestones))))
    (* rate (expt (%hyper options 'gamma) passed))))

(define (exponential-schedule optimizer :gamma #f)
  "Multiply the learning rate by gamma in every step.  (ExponentialLR.)"
  (%check-schedule "exponential-schedule" optimizer
                   :gamma gamma %amount? "a number of at least 0")
  (%new-schedule 'exponential optimizer (list (cons 'gamma gamma))
                 (lambda (options step k rate base)
                   (if (= step 0) rate (* rate (%hyper options 'gamma))))))

(define (constant-schedule optimizer :factor (/ 1.0 3) :steps 5)
  "Multiply the learning rate by factor until that many steps are over.
  (ConstantLR.)"
  (%check-schedule "constant-schedule" optimizer
                   :factor factor (lambda (x) (and (real? x) (< 0 x) (<= x 1)))
                   "a number above 0, up to 1,"
                   :steps steps %count? "a number of steps")
  (%new-schedule 'constant optimizer
                 (list (cons 'factor factor) (cons 'steps steps))
                 (lambda (options step k rate base)
                   (cond ((= step 0) (* rate (%hyper options 'factor)))
                         ((= step (%hyper options 'steps))
                          (/ rate (%hyper options 'factor)))
                         (else rate)))))

(define (linear-schedule optimizer :start-factor (/ 1.0 3) :end-factor 1.0
                         :steps 5)
  "Change the factor of the learning rate in equal steps from start-factor to
  end-factor: a warm-up, or a decay.  (LinearLR.)"
  (%check-schedule "linear-schedule" optimizer
                   :start-factor start-factor
                   (lambda (x) (and (real? x) (< 0 x) (<= x 1)))
                   "a number above 0, up to 1,"
                   :end-factor end-factor
                   (lambda (x) (and (real? x) (<= 0 x 1)))
                   "a number from 0 to 1"
                   :steps steps %count? "a number of steps")
  (%new-schedule 'linear optimizer
                 (list (cons 'start start-factor) (cons 'end end-factor)
                       (cons 'steps steps))
                 %linear-rule))

(define (%linear-rule options step k rate base)
  (let* ((start (%hyper options 'start))
         (change (- (%hyper options 'end) start))
         (steps (%hyper options 'steps)))
    (cond ((= step 0) (* rate start))
          ((> step steps) rate)
          (else
           (* rate (+ 1 (/ change
                           (+ (* steps start) (* (- step 1) change)))))))))

(define (polynomial-schedule optimizer :steps 5 :power 1.0)
  "Decay the learning rate to 0 in that many steps, by a power of the remaining
  fraction.  (PolynomialLR.)"
  (%check-schedule "polynomial-schedule" optimizer
                   :steps steps %count? "a number of steps"
                   :power power %amount? "a number of at least 0")
  (%new-schedule 'polynomial optimizer
                 (list (cons 'steps steps) (cons 'power power))
                 %polynomial-rule))

(define (%polynomial-rule options step k rate base)
  (let ((steps (%hyper options 'steps)))
    (if (or (= step 0) (> step steps))
        rate
        (* rate (expt (/ (- 1.0 (/ step steps))
                         (- 1.0 (/ (- step 1) steps)))
                      (%hyper options 'power))))))

;; Cosines.

(define %pi (* 4 (atan 1.0)))

(define (cosine-schedule optimizer :steps #f :min-lr 0.0)
  "Decay the learning rate along half a cosine, to min-lr after that many
  steps; then it rises again.  (CosineAnnealingLR; Loshchilov and Hutter
  2017.)"
  (%check-schedule "cosine-schedule" optimizer
                   :steps steps %count? "a number of steps"
                   :min-lr min-lr %amount? "a number of at least 0")
  (%new-schedule 'cosine optimizer
                 (list (cons 'steps steps) (cons 'min-lr min-lr))
                 %cosine-rule))

(define (%cosine-rule options step k rate base)
  (let* ((steps (%hyper options 'steps))
         (least (%hyper options 'min-lr))
         (height (lambda (k) (+ 1 (cos (/ (* %pi k) steps))))))
    (cond ((= step 0) rate)
          ((= 0 (modulo (- step 1 steps) (* 2 steps)))
           (+ rate (* (- base least) 0.5 (- 1 (cos (/ %pi steps))))))
          (else
           (+ least (* (/ (height step) (height (- step 1)))
                       (- rate least)))))))

(define (cosine-restarts-schedule optimizer :steps #f :factor 1 :min-lr 0.0)
  "Decay the learning rate along half a cosine to min-lr, and start again after
  that many steps; each period is longer than the last by the factor, an
  integer.  (CosineAnnealingWarmRestarts; Loshchilov and Hutter 2017.)"
  (%check-schedule "cosine-restarts-schedule" optimizer
                   :steps steps %count? "a number of steps"
                   :factor factor %count? "a positive integer"
                   :min-lr min-lr %amount? "a number of at least 0")
  (%new-schedule 'cosine-restarts optimizer
                 (list (cons 'steps steps) (cons 'factor factor)
                       (cons 'min-lr min-lr))
                 %restarts-rule))

(define (%restarts-rule options step k rate base)
  (let loop ((left step) (period (%hyper options 'steps)))
    (if (>= left period)
        (loop (- left period) (* period (%hyper options 'factor)))
        (%on-cosine base (%hyper options 'min-lr) (/ left period)))))

(define (%on-cosine start end fraction)
  "The value at a fraction of the way along half a cosine."
  (+ end (* (- start end) 0.5 (+ 1 (cos (* %pi fraction))))))

(define (warmup-cosine-schedule optimizer :warmup 0 :steps #f :min-lr 0.0)
  "Raise the learning rate from 0 in equal steps during the warm-up, then decay
  it along half a cosine, to min-lr after steps, which count from the beginning;
  it stays there:

  lr step / warmup, then
  min-lr + (lr - min-lr) (1 + cos(pi (step - warmup) / (steps - warmup))) / 2"
  (%check-schedule "warmup-cosine-schedule" optimizer
                   :warmup warmup
                   (lambda (x) (and (exact-integer? x) (>= x 0)))
                   "a number of steps"
                   :steps steps (lambda (x) (and (%count? x) (> x warmup)))
                   "a number of steps, more than the warm-up,"
                   :min-lr min-lr %amount? "a number of at least 0")
  (%new-schedule 'warmup-cosine optimizer
                 (list (cons 'warmup warmup) (cons 'steps steps)
                       (cons 'min-lr min-lr))
                 %warmup-cosine-rule))

(define (%warmup-cosine-rule options step k rate base)
  (let ((warmup (%hyper options 'warmup))
        (steps (%hyper options 'steps)))
    (if (< step warmup)
        (* base (/ step warmup))
        (%on-cosine base (%hyper options 'min-lr)
                    (min 1 (/ (- step warmup) (- steps warmup)))))))

;; Rules that the program defines.

(define (lambda-schedule optimizer factor)
  "Make the learning rate the first one times (factor step).  factor may also
  be a list of procedures, one for each group.  (LambdaLR.)"
  (%own-schedule "lambda-schedule" 'lambda optimizer factor
                 (lambda (options step k rate base)
                   (* base ((list-ref (%hyper options 'factors) k) step)))))

(define (multiplicative-schedule optimizer factor)
  "Multiply the learning rate by (factor step) in every step from 1 on.  factor
  may also be a list of procedures, one for each group.  (MultiplicativeLR.)"
  (%own-schedule "multiplicative-schedule" 'multiplicative optimizer factor
                 (lambda (options step k rate base)
                   (if (= step 0)
                       rate
                       (* rate ((list-ref (%hyper options 'factors) k)
                                step))))))

(define (%own-schedule who kind optimizer factor rule)
  "A schedule whose rule calls procedures of the program."
  (%check-schedule who optimizer)
  (let* ((groups (length (learning-rates optimizer)))
         (factors (if (list? factor)
                      factor
                      (map (lambda (k) factor) (iota groups)))))
    (unless (and (= (length factors) groups) (every procedure? factors))
      (wrong-type who
                  (string "a procedure, or a list of " groups
                          ", one for each group,")
                  factor))
    (%new-schedule kind optimizer (list (cons 'factors factors)) rule)))

;; Reducing the rate when a metric no longer improves.

(define (plateau-schedule optimizer :mode 'min :factor 0.1 :patience 10
                          :threshold 1e-4 :threshold-mode 'rel :cooldown 0
                          :min-lr 0 :eps 1e-8)
  "Multiply the learning rate by factor when a metric has not improved for more
  than patience steps: (schedule-step! schedule metric).  mode is min or max;
  an improvement is larger than the threshold, relative to the best value or,
  for threshold-mode abs, absolute.  After a reduction, cooldown steps do not
  count.  The rate does not fall below min-lr, a number or a list of one for
  each group, nor change by less than eps.  (ReduceLROnPlateau.)"
  (%check-schedule "plateau-schedule" optimizer
                   :mode mode (lambda (x) (memq x '(min max))) "'min or 'max"
                   :factor factor (lambda (x) (and (real? x) (< 0 x 1)))
                   "a number between 0 and 1"
                   :patience patience exact-integer? "a number of steps"
                   :threshold threshold %amount? "a number of at least 0"
                   :threshold-mode threshold-mode
                   (lambda (x) (memq x '(rel abs))) "'rel or 'abs"
                   :cooldown cooldown exact-integer? "a number of steps"
                   :min-lr min-lr
                   (lambda (x)
                     (or (%amount? x)
                         (and (list? x) (every %amount? x)
                              (= (length x)
                                 (length (learning-rates optimizer))))))
                   "a number of at least 0, or a list of one for each group,"
                   :eps eps %amount? "a number of at least 0")
  (%new-schedule 'plateau optimizer
                 (list (cons 'mode mode) (cons 'factor factor)
                       (cons 'patience patience) (cons 'threshold threshold)
                       (cons 'threshold-mode threshold-mode)
                       (cons 'cooldown cooldown) (cons 'min-lr min-lr)
                       (cons 'eps eps) (cons 'best #f)
                       (cons 'num-bad-epochs 0) (cons 'cooldown-counter 0))
                 #f))

;; What a plateau-schedule changes in its options.
(define %plateau-memory '(best num-bad-epochs cooldown-counter))

(define (%remember! schedule name value)
  "Change an option of a plateau-schedule."
  (set-cdr! (assq name (%schedule-options schedule)) value))

(define (%watch! schedule metric)
  "Take note of a metric, and reduce the rates if it is time."
  (let* ((options (%schedule-options schedule))
         (metric (if (tensor? metric) (tensor-item metric) metric)))
    (unless (real? metric)
      (wrong-type "schedule-step!" "a number as the metric" metric))
    (cond ((%improved? options metric)
           (%remember! schedule 'best metric)
           (%remember! schedule 'num-bad-epochs 0))
          (else
           (%remember! schedule 'num-bad-epochs
                       (+ (%hyper options 'num-bad-epochs) 1))))
    (when (> (%hyper options 'cooldown-counter) 0)
      (%remember! schedule 'cooldown-counter
                  (- (%hyper options 'cooldown-counter) 1))
      (%remember! schedule 'num-bad-epochs 0))
    (when (> (%hyper options 'num-bad-epochs) (%hyper options 'patience))
      (%reduce-rates! schedule options)
      (%remember! schedule 'cooldown-counter (%hyper options 'cooldown))
      (%remember! schedule 'num-bad-epochs 0))))

(define (%improved? options metric)
  "Whether a metric is better than the best one so far."
  (let* ((best (%hyper options 'best))
         (threshold (%hyper options 'threshold))
         (relative (eq? (%hyper options 'threshold-mode) 'rel)))
    (cond ((not best) (= metric metric))                    ; not for NaN
          ((eq? (%hyper options 'mode) 'min)
           (< metric (if relative
                         (* best (- 1 threshold))
                         (- best threshold))))
          (else
           (> metric (if relative
                         (* best (+ 1 threshold))
                         (+ best threshold)))))))

(define (%reduce-rates! schedule options)
  "Multiply the rates by the factor, within their limits."
  (let* ((optimizer (%schedule-optimizer schedule))
         (rates (learning-rates optimizer))
         (least (%hyper options 'min-lr)))
    (%set-rates! "schedule-step!" optimizer
                 (map (lambda (rate least)
                        (let ((new (max (* rate (%hyper options 'factor))
                                        least)))
                          (if (> (- rate new) (%hyper options 'eps))
                              new
                              rate)))
                      rates
                      (if (list? least)
                          least
                          (map (lambda (rate) least) rates))))))
