;; averages.lisp - averages of parameters over training steps.
;;
;; A model with averaged parameters is often better than the last one.  An
;; average is a record of the parameters and of tensors like them; with-ema
;; swaps their elements, so that all modules that hold the parameters see the
;; averages, and swaps back on every way out.
;;
;; It prints as #<ema decay: 0.999 updates: 12>.

;; Fields without a name: parameters, averages, warm-up.
(define %ema-type (%record-type 'ema #(decay updates #f #f #f)))

(define (ema? x)
  "Whether it is an average of parameters, by `ema` or `swa`."
  (%record? x %ema-type))

(define (ema parameters :decay 0.999 :warm-up #f)
  "An exponential moving average of a list of parameters, which begins with
  their present values.  Each `ema-update!` moves it:

  average <- decay average + (1 - decay) parameter

  With :warm-up #t, in update t decay (1 - decay^(t - 1)) / (1 - decay^t)
  stands for decay: the average then forgets the values that it began with, as
  Adam's averages do.  (Polyak and Juditsky 1992; Kingma and Ba 2015.)"
  (unless (and (real? decay) (>= decay 0) (< decay 1))
    (wrong-type "ema" "a number from 0 to below 1 for :decay" decay))
  (%new-average "ema" parameters (inexact decay) warm-up))

(define (swa parameters)
  "An average of a list of parameters that weighs all updates alike, for
  `ema-update!` and `with-ema`.  The first update replaces the values that it
  began with.  (Stochastic weight averaging; Izmailov et al. 2018.)"
  (%new-average "swa" parameters #f #f))

(define (%new-average who parameters decay warm-up)
  "An average of the parameters, without updates."
  (unless (and (list? parameters) (pair? parameters)
               (every tensor? parameters))
    (%error-with-hint
     (string who ": expected a list of parameters, got") (list parameters)
     "(parameters model) is the list of a model's parameters"))
  (%record %ema-type decay 0 parameters
           (map (lambda (x) (tensor-copy (detach x))) parameters)
           warm-up))

(define (%ema-field who average k)
  "A field of an average; who asks."
  (if (ema? average)
      (%record-ref average %ema-type k who)
      (wrong-type who "an average by ema or swa" average)))

(define (ema-update! average)
  "Move an average towards the present values of its parameters.  Call it after
  each `optimizer-step`."
  (let* ((who "ema-update!")
         (updates (+ (%ema-field who average 1) 1))
         (weight (%ema-weight (%ema-field who average 0) updates
                              (%ema-field who average 4))))
    (%record-set! average %ema-type 1 updates who)
    (no-grad
      (for-each (lambda (kept x)
                  (if (tensor-is-floating-point x)
                      (tensor-lerp! kept x weight)
                      (tensor-copy! kept x)))
                (%ema-field who average 3) (%ema-field who average 2)))
    (if #f #f)))

(define (%ema-weight decay t warm-up)
  "The weight of the parameters in update t."
  (cond ((not decay) (/ 1.0 t))
        (warm-up (- 1 (* decay (/ (- 1 (expt decay (- t 1)))
                                  (- 1 (expt decay t))))))
        (else (- 1 decay))))

(define-syntax with-ema
  "The value of the body, in which the parameters of an average have its values;
  afterwards, also after an error, they have their own."
  (syntax-rules ()
    ((_ average body ...)
     (%with-average average (lambda () body ...)))))

(define (%with-average average thunk)
  "The value of the thunk, with the values of the average."
  (%ema-field "with-ema" average 0)
  (dynamic-wind (lambda () (%swap-average! average))
                thunk
                (lambda () (%swap-average! average))))

(define (%swap-average! average)
  "Exchange the elements of parameters and averages."
  (no-grad
    (for-each (lambda (kept x)
                (let ((own (tensor-copy x)))
                  (tensor-copy! x kept)
                  (tensor-copy! kept own)))
              (%ema-field "with-ema" average 3)
              (%ema-field "with-ema" average 2))))

(define (ema-parameters average)
  "The averages, as a list of tensors in the order of the parameters.  They
  change with the next update."
  (%ema-field "ema-parameters" average 3))

(define (ema-state average)
  "The state of an average, as an alist: decay, updates, and copies of the
  averages."
  (list (cons "decay" (%ema-field "ema-state" average 0))
        (cons "updates" (%ema-field "ema-state" average 1))
        (cons "averages" (map tensor-copy (%ema-field "ema-state" average 3)))))

(define (load-ema-state! average state)
  "Put an average into a state that `ema-state` returned, and return it.  The
  parameters must have the same shapes."
  (let* ((who "load-ema-state!")
         (kept (%ema-field who average 3))
         (saved (%saved-ref who state "averages")))
    (unless (equal? (map tensor-shape saved) (map tensor-shape kept))
      (error (string who ": the state has averages of shapes "
                     (map tensor-shape saved) ", the parameters have")
             (map tensor-shape kept)))
    (%record-set! average %ema-type 1 (%saved-ref who state "updates") who)
    (%record-set! average %ema-type 0 (%saved-value state "decay") who)
    (no-grad (for-each tensor-copy! kept saved))
    average))
