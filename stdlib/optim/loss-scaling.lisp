;; loss-scaling.lisp - training in float16, whose smallest gradients are zero
;; unless the loss is multiplied by a large number (Micikevicius et al. 2018).
;;
;; The number is as large as it can be: it grows while all gradients are finite,
;; and shrinks when some are not; then the step is left out.

(define-record-type %loss-scaler
  (%make-loss-scaler scale growth backoff interval streak round)
  loss-scaler?
  (scale %scaler-scale %set-scaler-scale!)
  (growth %scaler-growth)
  (backoff %scaler-backoff)
  (interval %scaler-interval)
  (streak %scaler-streak %set-scaler-streak!)    ; steps since it has changed
  (round %scaler-round %set-scaler-round!))      ; optimizers and whether finite

(define (loss-scaler :init-scale 65536.0 :growth-factor 2.0 :backoff-factor 0.5
                     :growth-interval 2000)
  "What multiplies losses for training in float16: its scale grows by
  growth-factor after growth-interval steps with finite gradients, and is
  multiplied by backoff-factor after one with others.  The names and defaults
  are those of torch.amp.GradScaler.

  (backward (scale-loss scaler loss))
  (unscale-gradients! scaler optimizer)     ; before clipping, if there is any
  (scaled-step scaler optimizer)            ; optimizer-step, or nothing
  (loss-scaler-update! scaler)"
  (%check-above "init-scale" init-scale 0)
  (%check-above "growth-factor" growth-factor 1)
  (%check-above "backoff-factor" backoff-factor 0)
  (unless (< backoff-factor 1)
    (wrong-type "loss-scaler" "a number below 1 for :backoff-factor" backoff-factor))
  (%positive "loss-scaler" "growth-interval" growth-interval)
  (%make-loss-scaler (inexact init-scale) growth-factor backoff-factor
                     growth-interval 0 '()))

(define (%check-above name x limit)
  (unless (and (real? x) (< limit x +inf.0))
    (wrong-type "loss-scaler" (format "a number above ~a for :~a" limit name) x)))

(define (%check-loss-scaler who x)
  (unless (loss-scaler? x)
    (wrong-type who "a loss-scaler" x)))

(define (loss-scale scaler)
  "The number by which a loss-scaler multiplies losses now."
  (%check-loss-scaler "loss-scale" scaler)
  (%scaler-scale scaler))

(define (scale-loss scaler loss)
  "The loss, a tensor, times the scale of a loss-scaler."
  (%check-loss-scaler "scale-loss" scaler)
  (unless (tensor? loss)
    (wrong-type "scale-loss" "a tensor" loss))
  (* loss (%scaler-scale scaler)))

(define (unscale-gradients! scaler optimizer)
  "Divide the gradients of an optimizer's parameters by the scale: they are then
  those of the loss, for clipping.  scaled-step does it otherwise.  It is an
  error to do it twice before loss-scaler-update!."
  (%check-loss-scaler "unscale-gradients!" scaler)
  (let ((gradients (%gradients-of "unscale-gradients!"
                                  (append-map %group-parameters
                                              (%optimizer-groups
                                               "unscale-gradients!"
                                               optimizer)))))
    (when (assq optimizer (%scaler-round scaler))
      (%error-with-hint
       "unscale-gradients!: the gradients of this optimizer were divided already"
       '() "loss-scaler-update! ends a step"))
    (no-grad
      (for-each (lambda (gradient)
                  (tensor-div! gradient (%scaler-scale scaler)))
                gradients))
    (%set-scaler-round! scaler
                        (cons (cons optimizer (%finite-gradients? gradients))
                              (%scaler-round scaler)))))

(define (%finite-gradients? gradients)
  "Whether no element of the tensors is infinite or not a number."
  (tensor-item (tensor-isfinite (%norm-of gradients +inf.0))))

(define (scaled-step scaler optimizer)
  "The optimizer's step with the gradients of a scaled loss; nothing if some of
  them are not finite.  The result says whether the step was done."
  (%check-loss-scaler "scaled-step" scaler)
  (unless (assq optimizer (%scaler-round scaler))
    (unscale-gradients! scaler optimizer))
  (let ((finite (cdr (assq optimizer (%scaler-round scaler)))))
    (when finite
      (optimizer-step optimizer))
    finite))

(define (loss-scaler-update! scaler)
  "End a step: the scale shrinks if gradients were not finite, and grows if they
  were for long.  Returns the new scale."
  (%check-loss-scaler "loss-scaler-update!" scaler)
  (when (null? (%scaler-round scaler))
    (%error-with-hint "loss-scaler-update!: no step has used the loss-scaler"
                      '() "(scaled-step scaler optimizer) comes before"))
  (let ((streak (if (every cdr (%scaler-round scaler))
                    (+ (%scaler-streak scaler) 1)
                    0)))
    (cond ((= streak 0) (%multiply-scale! scaler (%scaler-backoff scaler)))
          ((= streak (%scaler-interval scaler))
           (%multiply-scale! scaler (%scaler-growth scaler)))
          (else (%set-scaler-streak! scaler streak)))
    (%set-scaler-round! scaler '())
    (%scaler-scale scaler)))

(define (%multiply-scale! scaler factor)
  "Change the scale, unless that leaves the numbers of float32."
  (let ((scale (* (%scaler-scale scaler) factor)))
    (when (< 1e-38 scale 1e38)
      (%set-scaler-scale! scaler scale))
    (%set-scaler-streak! scaler 0)))

(define (loss-scaler-state scaler)
  "The state of a loss-scaler, an alist, for the :extra data of save-checkpoint.
  The names are those of PyTorch's GradScaler."
  (%check-loss-scaler "loss-scaler-state" scaler)
  (list (cons "scale" (%scaler-scale scaler))
        (cons "_growth_tracker" (%scaler-streak scaler))))

(define (load-loss-scaler-state! scaler state)
  "Put a loss-scaler into a state that loss-scaler-state returned; returns it."
  (%check-loss-scaler "load-loss-scaler-state!" scaler)
  (let ((scale (%saved-value state "scale"))
        (streak (%saved-value state "_growth_tracker")))
    (unless (and (real? scale) (> scale 0) (%size? streak 0))
      (wrong-type "load-loss-scaler-state!" "the state of a loss-scaler" state))
    (%set-scaler-scale! scaler (inexact scale))
    (%set-scaler-streak! scaler streak)
    scaler))
