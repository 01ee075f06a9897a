;; fit-run.lisp - what callbacks see of a training that fit runs, and small
;; steps of fit.

(define-record-type %fit-run
  (%make-run model optimizer epoch step batch loss rows stopped)
  %fit-run?
  (model %run-model)
  (optimizer %run-optimizer)
  (epoch %run-epoch %set-run-epoch!)             ; how many are complete
  (step %run-step %set-run-step!)                ; of the optimizer
  (batch %run-batch %set-run-batch!)             ; of this epoch
  (loss %run-loss %set-run-loss!)                ; of the last batch
  (rows %run-rows %set-run-rows!)                ; the last epoch's first
  (stopped %run-stopped %set-run-stopped!))

(define (%new-run model optimizer)
  (%make-run model optimizer 0 0 0 +nan.0 '() #f))

(define (fit-model run)
  "The model that a run trains."
  (%run-model run))

(define (fit-optimizer run)
  "The optimizer of a run."
  (%run-optimizer run))

(define (fit-epoch run)
  "How many epochs of a run are complete."
  (%run-epoch run))

(define (fit-step run)
  "How many steps the optimizer of a run has made."
  (%run-step run))

(define (fit-loss run)
  "The loss of a run's last batch, a number."
  (%run-loss run))

(define (fit-metric run name)
  "The value that the last epoch of a run has for a name, such as \"loss\" or
  \"validation-loss\"; #f if it has none."
  (let* ((rows (%run-rows run))
         (found (and (pair? rows) (assoc name (car rows)))))
    (and found (cdr found))))

(define (fit-stop! run)
  "End a run after this batch; the epoch is completed as if it ended here."
  (%set-run-stopped! run #t))

(define (fit-stopped? run)
  "Whether fit-stop! was called."
  (%run-stopped run))

(define (%end-run-epoch! run row)
  "Note that an epoch is complete."
  (%set-run-rows! run (cons row (%run-rows run)))
  (%set-run-epoch! run (+ (%run-epoch run) 1))
  (%set-run-batch! run 0))

;; State.

(define (%run-state run)
  (list (cons "epoch" (%run-epoch run)) (cons "step" (%run-step run))
        (cons "batch" (%run-batch run)) (cons "loss" (%run-loss run))
        (cons "rows" (%run-rows run)) (cons "stopped" (%run-stopped run))))

(define (%load-run-state! run state)
  (%set-run-epoch! run (%entry state "epoch"))
  (%set-run-step! run (%entry state "step"))
  (%set-run-batch! run (%entry state "batch"))
  (%set-run-loss! run (%entry state "loss"))
  (%set-run-rows! run (%entry state "rows"))
  (%set-run-stopped! run (%entry state "stopped")))

(define (%entry alist name)
  "The value of a name in the state of a fit."
  (let ((found (and (list? alist) (every pair? alist) (assoc name alist))))
    (if found
        (cdr found)
        (%error-with-hint
         (format "fit: the checkpoint has no ~s: another program saved it" name)
         '() "continue it with load-checkpoint!, or pass :resume #f"))))

;; Steps of fit.

(define (%check-fit model optimizer loss batch-loss epochs accumulate resume
                    folder)
  "Check the arguments of fit."
  (define (need ok what hint)
    (unless ok (%error-with-hint (string "fit: " what) '() hint)))
  (need (procedure? model) "the model is not a module or a procedure"
        "fit takes the model first, then the data")
  (need (optimizer? optimizer)
        (if optimizer
            (string "expected an optimizer, got " optimizer)
            "it needs an optimizer")
        ":optimizer (adam (parameters model))")
  (need (procedure? (or batch-loss loss))
        (if (or batch-loss loss)
            (string "expected a procedure as the loss, got "
                    (or batch-loss loss))
            "it needs a loss")
        ":loss cross-entropy, or :batch-loss (lambda (x y) ...)")
  (for-each (lambda (count name)
              (unless (and (exact-integer? count) (> count 0))
                (wrong-type "fit" (string "a number from 1 as " name) count)))
            (list epochs accumulate) '("epochs" "accumulate"))
  (need (or folder (not resume)) ":resume needs a checkpoint"
        ":checkpoint \"runs/a\""))

(define (%check-fit-extras metrics schedule folder checkpoint-every)
  "Check what fit uses only after its first steps."
  (for-each (lambda (metric)
              (unless (and (pair? metric) (procedure? (cdr metric)))
                (%error-with-hint
                 (format "fit: expected a pair of a name and a procedure as a \
                          metric, got ~s" metric)
                 '() ":metrics (list (cons \"accuracy\" accuracy))")))
            (%fit-list metrics "metrics"))
  (unless (or (not schedule) (schedule? schedule))
    (wrong-type "fit" "a schedule" schedule))
  (when (and folder (> (world-size) 1) (not (%is-sharded-folder? folder)))
    (%error-with-hint "fit: several ranks would write the same checkpoints" '()
                      "(checkpoint-folder \"runs/a\" :sharded #t)"))
  (unless (or folder (not checkpoint-every))
    (%error-with-hint "fit: :checkpoint-every needs a checkpoint" '()
                      ":checkpoint \"runs/a\"")))

(define (%fit-list items name)
  "The items, which must be a list."
  (if (list? items)
      items
      (wrong-type "fit" (string "a list of " name) items)))

(define (%as-loader data shuffle)
  "A loader of the data; a loader itself."
  (if (data-loader? data)
      data
      (data-loader data :shuffle shuffle)))

(define (%fit-log log run)
  "The log that fit writes; one that a path names begins anew, or continues
  after the epochs that are complete."
  (define (complete? row)
    (let ((found (assoc "epoch" row)))
      (and found (<= (cdr found) (fit-epoch run)))))
  (cond ((not log) #f)
        ((not (string? log)) log)
        ((= (fit-step run) 0) (training-log log :fresh #t))
        (else (training-log log :keep complete?))))

(define (%measured model loader output-of loss-of loss metrics)
  "The mean loss and metrics over the batches of a loader, as an alist."
  (let ((losses (running-mean))
        (means (map (lambda (metric) (running-mean)) metrics)))
    (when (module? model) (eval-mode! model))
    (no-grad
      (for-each-batch
       (lambda parts
         (let ((output (and (pair? metrics) (output-of parts)))
               (n (%examples-in parts)))
           (%add-noted! losses n
                        (lambda ()
                          (if (and output loss)
                              (loss output (last parts))
                              (loss-of parts))))
           (for-each (lambda (metric mean)
                       (%add-noted! mean n
                                    (lambda ()
                                      ((cdr metric) output (last parts)))))
                     metrics means)))
       loader))
    (when (module? model) (train-mode! model))
    (cons (cons "validation-loss" (running-mean-value losses))
          (map (lambda (metric mean)
                 (cons (string (car metric)) (running-mean-value mean)))
               metrics means))))

(define (%add-noted! mean examples thunk)
  "Add the thunk's value to a running mean, as the mean of its terms."
  (let* ((noted (%noting thunk))
         (count (%count-of (cdr noted) examples)))
    (running-mean-add! mean (car noted) :count count)))

(define (%step-by-metric! schedule row)
  "Step a schedule after an epoch; one that watches a metric gets the
  validation's loss, or the loss."
  (if (eq? (%schedule-kind schedule) 'plateau)
      (schedule-step! schedule
                      (cdr (or (assoc "validation-loss" row)
                               (assoc "loss" row))))
      (schedule-step! schedule)))

(define (%show-fit run mean batch batches epochs)
  "Show the progress: on a terminal a bar for each epoch, elsewhere a line for
  each tenth of the epochs."
  (let ((epoch (+ (fit-epoch run) 1))
        (message (lambda ()
                   (string "loss "
                           (format "~,4f" (running-mean-value mean))))))
    (cond ((%terminal-columns (current-error-port))
           (progress batch batches (string "epoch " epoch "/" epochs) message))
          ((= batch batches)
           (progress epoch epochs "epoch" message)))))
