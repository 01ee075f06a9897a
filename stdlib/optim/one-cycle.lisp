;; one-cycle.lisp - the schedule that raises the rate once and lowers it once.
;;
;; It also changes the momentum, against the rate, so it does not fit the rules
;; of the other schedules.

(define (one-cycle-schedule optimizer :max-lr #f :steps #f :pct-start 0.3
                            :anneal 'cos :cycle-momentum #t
                            :base-momentum 0.85 :max-momentum 0.95
                            :div-factor 25.0 :final-div-factor 1e4
                            :three-phase #f)
  "Raise the learning rate from max-lr / div-factor to max-lr in the fraction
  pct-start of the steps, and lower it to the first rate / final-div-factor,
  along half a cosine or, with :anneal 'linear, a line.  Meanwhile the momentum,
  or the first of the betas, goes from max-momentum to base-momentum and back.
  With :three-phase #t the rate falls as fast as it rose, then to its end.
  max-lr may be a list of one for each group.  It counts batches, not epochs.
  (OneCycleLR; Smith and Topin 2019.)"
  (let ((who "one-cycle-schedule"))
    (%check-schedule who optimizer
                     :max-lr max-lr
                     (lambda (x)
                       (or (and (real? x) (> x 0))
                           (and (list? x) (every %amount? x)
                                (= (length x)
                                   (length (learning-rates optimizer))))))
                     "a number above 0, or a list of one for each group,"
                     :steps steps %count? "a number of steps"
                     :pct-start pct-start
                     (lambda (x) (and (real? x) (<= 0 x 1)))
                     "a number from 0 to 1"
                     :anneal anneal (lambda (x) (memq x '(cos linear)))
                     "'cos or 'linear")
    (%begin-cycle! who optimizer max-lr div-factor cycle-momentum)
    (%new-schedule 'one-cycle optimizer
                   (list (cons 'steps steps) (cons 'pct-start pct-start)
                         (cons 'anneal anneal)
                         (cons 'cycle-momentum cycle-momentum)
                         (cons 'base-momentum base-momentum)
                         (cons 'max-momentum max-momentum)
                         (cons 'div-factor div-factor)
                         (cons 'final-div-factor final-div-factor)
                         (cons 'three-phase three-phase))
                   %one-cycle-rule)))

(define (%begin-cycle! who optimizer max-lr div-factor cycle-momentum)
  "Note the first rates of the groups.  Each is max-lr / div-factor."
  (let ((groups (%optimizer-groups who optimizer)))
    (when (and cycle-momentum (not (%momentum-name (car groups))))
      (%error-with-hint
       (string who ": " (%optimizer-kind optimizer) " has no momentum to cycle")
       '()
       "pass :cycle-momentum #f"))
    (for-each (lambda (group most)
                (%set-first-rate! group (/ (inexact most) div-factor)))
              groups
              (if (list? max-lr) max-lr (map (lambda (x) max-lr) groups)))))

(define (%momentum-name group)
  "The option that holds a group's momentum."
  (cond ((assq 'momentum (%group-options group)) 'momentum)
        ((assq 'betas (%group-options group)) 'betas)
        (else #f)))

(define (%one-cycle-rule options step k rate base)
  (when (> step (%hyper options 'steps))
    (error (string "schedule-step!: a one-cycle-schedule of "
                   (%hyper options 'steps) " steps has no step")
           step))
  (let ((most (* base (%hyper options 'div-factor)))
        (least (/ base (%hyper options 'final-div-factor))))
    (%in-phase options step
               (if (%hyper options 'three-phase)
                   (list base most base least)
                   (list base most least)))))

(define (%in-phase options step values)
  "The value at a step of a cycle that passes through the values."
  (let loop ((start 0.0) (ends (%phase-ends options)) (values values))
    (if (or (<= step (car ends)) (null? (cdr ends)))
        (%annealed options (car values) (cadr values)
                   (/ (- step start) (- (car ends) start)))
        (loop (car ends) (cdr ends) (cdr values)))))

(define (%phase-ends options)
  "The steps in which the phases of a cycle end."
  (let* ((steps (%hyper options 'steps))
         (rise (* (inexact (%hyper options 'pct-start)) steps)))
    (if (%hyper options 'three-phase)
        (list (- rise 1) (- (* 2 rise) 2) (- steps 1.0))
        (list (- rise 1) (- steps 1.0)))))

(define (%annealed options start end fraction)
  "The value at a fraction of the way from start to end."
  (if (eq? (%hyper options 'anneal) 'cos)
      (%on-cosine start end fraction)
      (+ start (* (- end start) fraction))))

(define (%cycle-momentum! optimizer options step)
  "Set the momentum of the groups for a step of the cycle."
  (let* ((most (%hyper options 'max-momentum))
         (least (%hyper options 'base-momentum))
         (value (%in-phase options step
                           (if (%hyper options 'three-phase)
                               (list most least most most)
                               (list most least most)))))
    (for-each (lambda (group)
                (let* ((name (%momentum-name group))
                       (entry (assq name (%group-options group))))
                  (set-cdr! entry
                            (if (eq? name 'betas)
                                (list value (cadr (cdr entry)))
                                value))))
              (%optimizer-groups "schedule-step!" optimizer))))
