;; callbacks.lisp - what fit calls while it trains.
;;
;;     (callback :epoch (lambda (run) (print (fit-epoch run) (fit-loss run))))
;;
;; A procedure alone is called after each epoch.  A callback that remembers
;; something gives it to checkpoints, so that a resumed run goes on as if it had
;; not been interrupted.

(define-record-type %callback
  (%make-callback start batch epoch end state load)
  callback?
  (start %callback-start)
  (batch %callback-batch)
  (epoch %callback-epoch)
  (end %callback-end)
  (state %callback-state)
  (load %callback-load))

(define (callback :start #f :batch #f :epoch #f :end #f :state #f :load #f)
  "A callback of fit: procedures that take the run (see fit-model, fit-step,
  fit-metric, fit-stop!), and are called at the start, after each batch, after
  each epoch and at the end.  state: a procedure of no arguments that returns
  what a checkpoint keeps; load: a procedure that takes it back."
  (for-each (lambda (f)
              (unless (or (not f) (procedure? f))
                (wrong-type "callback" "a procedure" f)))
            (list start batch epoch end state load))
  (%make-callback start batch epoch end state load))

(define (%as-callback x)
  "The callback itself; a procedure as the callback of epochs."
  (cond ((callback? x) x)
        ((procedure? x) (callback :epoch x))
        (else (wrong-type "fit" "a procedure or a callback" x))))

(define (%call-hook hook name run)
  "Call a callback's procedure of that name, if it has one."
  (let ((f (case name
             ((start) (%callback-start hook))
             ((batch) (%callback-batch hook))
             ((epoch) (%callback-epoch hook))
             (else (%callback-end hook)))))
    (when f (f run))))

(define (%hook-state hook)
  (and (%callback-state hook) ((%callback-state hook))))

(define (%load-hook-state! hook state)
  (when (%callback-load hook) ((%callback-load hook) state)))

(define (early-stopping :patience 3 :metric #f :larger #f :min-change 0.0)
  "A callback that ends training when a metric has not improved for patience
  epochs in a row.

  metric: a name in the history's rows; by default \"validation-loss\", or
  \"loss\" without validation.  It must fall by more than min-change, or rise
  with :larger #t."
  (let ((best #f) (waited 0))
    (define (value-in run)
      (or (if metric
              (fit-metric run (string metric))
              (or (fit-metric run "validation-loss") (fit-metric run "loss")))
          (error "early-stopping: the history has no metric" metric)))
    (define (better? value)
      (or (not best)
          (if larger
              (> value (+ best min-change))
              (< value (- best min-change)))))
    (callback
     :epoch (lambda (run)
              (let ((value (value-in run)))
                (if (better? value)
                    (begin (set! best value) (set! waited 0))
                    (set! waited (+ waited 1)))
                (when (>= waited patience) (fit-stop! run))))
     :state (lambda () (list best waited))
     :load (lambda (state)
             (set! best (car state))
             (set! waited (cadr state))))))
