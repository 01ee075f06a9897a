;; schedules.lisp - what all schedules share: steps, chains, sequences, state.
;;
;; A schedule changes the learning rates of an optimizer's groups from step to
;; step.  Most have a rule, which computes the next rate of a group from the
;; present one, so that schedules of one optimizer multiply, as in PyTorch.
;; The rate of step 0 is set when the schedule is created.
;;
;; It prints as #<schedule kind: cosine step: 3>.

;; Fields without a name are not printed: optimizer, options, rule, parts, and
;; the rates from which the groups began.
(define %schedule-type
  (%record-type 'schedule #(kind step #f #f #f #f #f)))

(define (schedule? x)
  "Whether it is a schedule of learning rates."
  (%record? x %schedule-type))

(define (%schedule-kind s) (%record-ref s %schedule-type 0 "schedule"))
(define (%schedule-at s) (%record-ref s %schedule-type 1 "schedule"))
(define (%schedule-optimizer s) (%record-ref s %schedule-type 2 "schedule"))
(define (%schedule-options s) (%record-ref s %schedule-type 3 "schedule"))
(define (%schedule-rule s) (%record-ref s %schedule-type 4 "schedule"))
(define (%schedule-parts s) (%record-ref s %schedule-type 5 "schedule"))
(define (%schedule-bases s) (%record-ref s %schedule-type 6 "schedule"))

(define (%set-schedule-at! s k)
  (%record-set! s %schedule-type 1 k "schedule"))

(define (%set-schedule-bases! s rates)
  (%record-set! s %schedule-type 6 rates "schedule"))

;; Construction.

(define (%new-schedule kind optimizer options rule)
  "A schedule in its step 0.  The new rate of a group is
  (rule options step group-index rate first-rate)."
  (let ((schedule (%record %schedule-type kind 0 optimizer options rule '()
                           (%first-rates optimizer))))
    (%begin-schedule! schedule)
    schedule))

(define (%first-rates optimizer)
  "The rates with which the groups began, before any schedule."
  (map (lambda (group)
         (let ((options (%group-options group)))
           (unless (assq 'initial-lr options)
             (%set-first-rate! group (%hyper options 'lr)))
           (%hyper (%group-options group) 'initial-lr)))
       (%optimizer-groups "schedule" optimizer)))

(define (%set-first-rate! group rate)
  "Note the rate with which a group begins."
  (let ((options (%group-options group)))
    (set-%group-options! group
                         (append (remove (lambda (entry)
                                           (eq? (car entry) 'initial-lr))
                                         options)
                                 (list (cons 'initial-lr rate))))))

(define (%check-schedule who optimizer . checks)
  "Raise an error unless it is an optimizer, and each of the checks holds: a
  keyword, its value, a predicate, and what the predicate expects."
  (unless (optimizer? optimizer)
    (wrong-type who "an optimizer" optimizer))
  (let loop ((left checks))
    (when (pair? left)
      (let ((name (car left)) (value (cadr left)) (fits? (caddr left)))
        (unless (fits? value)
          (wrong-type who
                      (string (cadddr left) " for :" (keyword->string name))
                      value))
        (loop (cddddr left))))))

(define (%count? x)
  (and (exact-integer? x) (> x 0)))

(define (%amount? x)
  (and (real? x) (>= x 0)))

;; Steps.

(define (schedule-step! schedule . metric)
  "Set the learning rates for the next step.  Call it after `optimizer-step`:
  once an epoch or once a batch, as the schedule counts.  A plateau-schedule
  also takes the metric that it watches, a number or a tensor of one element."
  (unless (schedule? schedule)
    (wrong-type "schedule-step!" "a schedule" schedule))
  (let ((plateau (eq? (%schedule-kind schedule) 'plateau)))
    (cond ((and plateau (null? metric))
           (%error-with-hint
            "schedule-step!: a plateau-schedule needs a metric" '()
            "(schedule-step! schedule validation-loss)"))
          ((and (pair? metric) (or (not plateau) (pair? (cdr metric))))
           (error (string "schedule-step!: expected "
                          (if plateau "1 metric" "no metric") ", got")
                  (if plateau (length metric) (car metric)))))
    (%set-schedule-at! schedule (+ (%schedule-at schedule) 1))
    (case (%schedule-kind schedule)
      ((plateau) (%watch! schedule (car metric)))
      ((chained) (for-each schedule-step! (%schedule-parts schedule)))
      ((sequential) (%step-sequence! schedule))
      (else (%apply-rule! schedule)))))

(define (%apply-rule! schedule)
  "Set the rates by the schedule's rule."
  (let* ((optimizer (%schedule-optimizer schedule))
         (bases (%schedule-bases schedule))
         (rates (learning-rates optimizer))
         (rule (%schedule-rule schedule))
         (options (%schedule-options schedule))
         (step (%schedule-at schedule)))
    (unless (= (length bases) (length rates))
      (error (string "schedule-step!: the schedule is for " (length bases)
                     (if (null? (cdr bases)) " group" " groups")
                     ", the optimizer has")
             (length rates)))
    (%set-rates! "schedule-step!" optimizer
                 (map (lambda (k rate base) (rule options step k rate base))
                      (iota (length rates)) rates bases))
    (when (and (eq? (%schedule-kind schedule) 'one-cycle)
               (%hyper options 'cycle-momentum))
      (%cycle-momentum! optimizer options step))))

(define (%begin-schedule! schedule)
  "Put a schedule into its step 0, from the optimizer's present rates."
  (%set-schedule-at! schedule 0)
  (case (%schedule-kind schedule)
    ((plateau) #f)
    ((chained) (for-each %begin-schedule! (%schedule-parts schedule)))
    ((sequential) (%begin-schedule! (car (%schedule-parts schedule))))
    (else (%apply-rule! schedule))))

(define (%restart-schedule! schedule)
  "Put a schedule into its step 0, from the rates with which groups began."
  (%set-rates! "schedule-step!" (%schedule-optimizer schedule)
               (%schedule-bases schedule))
  (%begin-schedule! schedule))

;; Schedules of schedules.

(define (chained-schedule . schedules)
  "The schedule that steps several schedules of one optimizer, one after the
  other; where they multiply the rate, the factors multiply.

  (chained-schedule (linear-schedule opt :steps 5)
                    (exponential-schedule opt :gamma 0.9))"
  (%check-parts "chained-schedule" schedules)
  (%record %schedule-type 'chained 0 (%schedule-optimizer (car schedules))
           '() #f schedules (%schedule-bases (car schedules))))

(define (sequential-schedule schedules :milestones '())
  "The schedule that follows the first of a list of schedules of one optimizer,
  and changes to the next one at each milestone, a number of steps.  Each
  schedule begins at its step 0, from the rates that the optimizer began with.
  With 0 as the first milestone, the first schedule sets only the rate of step
  0, as in PyTorch.

  (sequential-schedule (list (linear-schedule opt :steps 10)
                             (cosine-schedule opt :steps 90))
                       :milestones '(10))"
  (let ((who "sequential-schedule"))
    (unless (list? schedules)
      (wrong-type who "a list of schedules" schedules))
    (%check-parts who schedules)
    (unless (and (list? milestones) (every exact-integer? milestones)
                 (apply < -1 milestones))
      (wrong-type who "a list of increasing step numbers for :milestones"
                  milestones))
    (unless (= (length milestones) (- (length schedules) 1))
      (error (string who ": expected one milestone less than the "
                     (length schedules) " schedules, got")
             (length milestones)))
    (let ((schedule (%record %schedule-type 'sequential 0
                             (%schedule-optimizer (car schedules))
                             (list (cons 'milestones milestones))
                             #f schedules
                             (%schedule-bases (car schedules)))))
      (%restart-schedule! schedule)
      schedule)))

(define (%check-parts who schedules)
  "Raise an error unless they are schedules of one optimizer that need no
  metric."
  (when (null? schedules)
    (error (string who ": expected at least 1 schedule, got 0")))
  (for-each
   (lambda (part)
     (cond ((not (schedule? part)) (wrong-type who "a schedule" part))
           ((eq? (%schedule-kind part) 'plateau)
            (%error-with-hint
             (string who ": a plateau-schedule cannot be part of it") '()
             "step it by itself, because it needs a metric"))
           ((not (eq? (%schedule-optimizer part)
                      (%schedule-optimizer (car schedules))))
            (error (string who ": the schedules are of different optimizers:")
                   (%schedule-optimizer (car schedules))
                   (%schedule-optimizer part)))))
   schedules))

(define (%step-sequence! schedule)
  "Step the part of a sequential schedule whose turn it is."
  (let* ((step (%schedule-at schedule))
         (milestones (%hyper (%schedule-options schedule) 'milestones))
         (passed (filter (lambda (milestone) (<= milestone step)) milestones))
         (part (list-ref (%schedule-parts schedule) (length passed))))
    (if (memv step milestones)
        (%restart-schedule! part)
        (schedule-step! part))))

;; State.

(define (schedule-state schedule)
  "The state of a schedule, as an alist: its kind, step, rates, and what a
  plateau-schedule has seen.  The names are those of PyTorch's schedulers."
  (unless (schedule? schedule)
    (wrong-type "schedule-state" "a schedule" schedule))
  (append (list (cons "kind" (symbol->string (%schedule-kind schedule)))
                (cons "last_epoch" (%schedule-at schedule))
                (cons "base_lrs" (%schedule-bases schedule))
                (cons "_last_lr" (learning-rates
                                  (%schedule-optimizer schedule))))
          (if (eq? (%schedule-kind schedule) 'plateau)
              (map (lambda (name)
                     (cons (%saved-name name)
                           (%hyper (%schedule-options schedule) name)))
                   %plateau-memory)
              '())
          (if (pair? (%schedule-parts schedule))
              (list (cons "_schedulers"
                          (map schedule-state (%schedule-parts schedule))))
              '())))

(define (load-schedule-state! schedule state)
  "Put a schedule into a state that `schedule-state` returned, and return it.
  The optimizer's learning rates become those of the state."
  (unless (schedule? schedule)
    (wrong-type "load-schedule-state!" "a schedule" schedule))
  (%check-schedule-state schedule state)
  (%load-schedule! schedule state)
  (let ((rates (%saved-value state "_last_lr")))
    (when rates
      (%set-rates! "load-schedule-state!" (%schedule-optimizer schedule)
                   rates)))
  schedule)

(define (%check-schedule-state schedule state)
  "Raise an error unless the state is one of such a schedule."
  (let ((who "load-schedule-state!")
        (kind (%saved-value state "kind"))
        (parts (or (%saved-value state "_schedulers") '())))
    (%saved-ref who state "last_epoch")
    (when (and kind (not (equal? kind (symbol->string
                                       (%schedule-kind schedule)))))
      (error (string who ": the state is one of a " kind
                     "-schedule, the schedule is")
             (%schedule-kind schedule)))
    (unless (= (length (or (%saved-value state "base_lrs")
                           (%schedule-bases schedule)))
               (length (%schedule-bases schedule)))
      (error (string who ": the state is for "
                     (length (%saved-value state "base_lrs"))
                     " groups, the optimizer has")
             (length (%schedule-bases schedule))))
    (unless (= (length parts) (length (%schedule-parts schedule)))
      (error (string who ": the state is of " (length parts)
                     " schedules, the schedule of")
             (length (%schedule-parts schedule))))
    (for-each %check-schedule-state (%schedule-parts schedule) parts)))

(define (%load-schedule! schedule state)
  "Take over a state that was checked."
  (%set-schedule-at! schedule (%saved-value state "last_epoch"))
  (%set-schedule-bases! schedule (or (%saved-value state "base_lrs")
                                     (%schedule-bases schedule)))
  (when (eq? (%schedule-kind schedule) 'plateau)
    (for-each (lambda (name)
                (%remember! schedule name
                            (%saved-value state (%saved-name name))))
              %plateau-memory))
  (for-each %load-schedule! (%schedule-parts schedule)
            (or (%saved-value state "_schedulers") '())))
