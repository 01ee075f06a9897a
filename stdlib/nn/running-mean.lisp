;; running-mean.lisp - means of values that come one after the other.
;;
;; The loss of an epoch is the mean over its examples, not over its batches,
;; the last of which may be smaller: so each value has a count.

;; The field is a pair: the sum of the values, and their number.
(define %running-mean-type (%record-type 'running-mean #(value count)))

(define (running-mean)
  "A new running mean, of no values yet.

  (define losses (running-mean))
  (running-mean-add! losses 2.0 :count 3)
  (running-mean-add! losses 6.0)
  (running-mean-value losses)   ; 3.0"
  (%record %running-mean-type 0.0 0))

(define (running-mean? x)
  "Whether it is a running mean."
  (%record? x %running-mean-type))

(define (running-mean-add! mean value :count 1)
  "Add a value, a number or a tensor of one element, as the mean of count
  values: a batch's loss counts as often as the batch has examples.  Returns
  the running mean."
  (unless (and (number? count) (>= count 0))
    (error "running-mean-add!: expected a number from 0 on for :count, got"
           count))
  (let* ((old (running-mean-value mean))
         (old-count (running-mean-count mean))
         (all (+ old-count count))
         (new (%as-number "running-mean-add!" value)))
    (%set-running-mean! mean
                        (cond ((zero? count) old)
                              ((zero? old-count) new)
                              (else (/ (+ (* old old-count) (* new count))
                                       all)))
                        all)))

(define (%set-running-mean! mean value count)
  "Set both fields; returns the running mean."
  (%record-set! mean %running-mean-type 0 value "running-mean-add!")
  (%record-set! mean %running-mean-type 1 count "running-mean-add!")
  mean)

(define (running-mean-value mean)
  "The mean of the values, 0.0 if there are none."
  (%record-ref mean %running-mean-type 0 "running-mean-value"))

(define (running-mean-count mean)
  "How many values were added."
  (%record-ref mean %running-mean-type 1 "running-mean-count"))

(define (running-mean-reset! mean)
  "Forget all values; returns the running mean."
  (%set-running-mean! mean 0.0 0))

(define (running-mean-state mean)
  "The state for a checkpoint, an alist."
  (list (cons "value" (running-mean-value mean))
        (cons "count" (running-mean-count mean))))

(define (load-running-mean-state! mean state)
  "Continue from a state of running-mean-state; returns the running mean."
  (let ((value (and (list? state) (assoc "value" state)))
        (count (and (list? state) (assoc "count" state))))
    (unless (and value count)
      (wrong-type "load-running-mean-state!" "a state of running-mean-state"
                  state))
    (%set-running-mean! mean (cdr value) (cdr count))))
