;; fit.lisp - a training loop: epochs, validation, checkpoints, early stopping.
;;
;;     (fit model loader :optimizer (adam (parameters model)) :loss cross-entropy
;;          :epochs 10 :validate test-loader
;;          :metrics (list (cons "accuracy" accuracy))
;;          :callbacks (list (early-stopping :patience 3))
;;          :checkpoint "runs/a" :resume #t)
;;
;; It does nothing that a program cannot do in a few lines of its own: copy what
;; you need.  The procedures inside `fit` are the steps of the loop.

(define (fit model data :optimizer #f :loss #f :batch-loss #f :epochs 1
             :validate #f :metrics '() :callbacks '()
             :schedule #f :schedule-each 'batch :clip-norm #f :accumulate 1
             :count #f :ema #f :detect-nan #f
             :checkpoint #f :checkpoint-every #f :resume #f
             :log #f :progress #t)
  "Train a model on data; returns a history, a row for each epoch.

  data and validate: data loaders, or datasets.  The last part of a batch is
  the target: the loss is (loss (model part ...) target); with a single part,
  (loss (model x) x).  batch-loss, instead of loss: a procedure of the parts
  that returns the loss.  metrics: an alist of names and procedures of the
  model's output and the target, measured on validate.

  schedule: stepped after each batch, or with :schedule-each 'epoch.
  clip-norm: the largest norm of the gradients.  accumulate: how many batches
  make one step, whose gradients are those of these batches as one, also if
  they are unequal; after data-parallel!, those of all ranks' batches as one.
  In all means a batch counts as often as its loss has terms, such as targets
  that are not ignored, see accumulate-gradients; count, a procedure of the
  parts, returns another number.  A measure that is not a mean, such as the
  perplexity, is right only for a single batch: take that of the mean loss.

  ema: updated after each step, and used for validate.
  callbacks: procedures of the run, called after each epoch, or see callback.
  detect-nan: a loss or gradient that is not finite is an error that names the
  module or parameter.

  checkpoint: a checkpoint-folder or its path, saved after each epoch, and every
  checkpoint-every steps.  With :resume #t, training continues from the latest,
  with the losses that it would have had without the interruption, bit for bit.
  In several processes, a path's folder is sharded: all of them save.  A
  checkpoint-folder must be.
  log: a training-log, or the path of one: a row for each epoch.  progress:
  whether to show, on the current error port, a bar for each epoch, or, where
  that is not a terminal, up to ten lines in all."
  (define loader (%as-loader data #t))
  (define valid (and validate (%as-loader validate #f)))
  (define folder (if (string? checkpoint)
                     (checkpoint-folder checkpoint :sharded (> (world-size) 1))
                     checkpoint))
  (define hooks (map %as-callback (%fit-list callbacks "callbacks")))
  (define run (%new-run model optimizer))
  (define writer #f)
  (define batches 0)                             ; in an epoch
  (define mean (running-mean))                   ; of the epoch's losses
  (define group                                  ; of the batches of a step
    (and (or (not (eqv? accumulate 1)) (%procedure "averages-gradients?"))
         (%new-accumulation "fit")))

  (define (output-of parts)
    (apply model (if (null? (cdr parts)) parts (drop-right parts 1))))

  (define (loss-of parts)
    (if batch-loss (apply batch-loss parts) (loss (output-of parts) (last parts))))

  (define (call-hooks name)
    (for-each (lambda (hook) (%call-hook hook name run)) hooks))

  (define (train-epoch!)
    (set! batches (loader-length loader))
    (call/cc
     (lambda (leave)
       (for-each-batch (lambda parts
                         (check-signals)
                         (train-batch! parts)
                         (when (fit-stopped? run)
                           (when (and group (%begun? group)) (update!))
                           (leave #f)))
                       loader))))

  (define (train-batch! parts)
    (let* ((both (%noting (lambda () (loss-of parts))))
           (loss (car both))
           (noted (if count
                      (list (%checked-count "fit" (apply count parts)))
                      (cdr both)))
           (examples (%examples-in parts))
           (batch (+ (%run-batch run) 1)))
      (%set-run-batch! run batch)
      (when detect-nan (%check-loss model parts loss loss-of))
      (cond (group (%accumulate! group loss noted examples))
            ((not (%counts-nothing? noted)) (backward loss)))
      (%set-run-loss! run (tensor-item loss))
      (running-mean-add! mean (fit-loss run)
                         :count (%count-of noted examples))
      (let ((whole (or (= (modulo batch accumulate) 0) (= batch batches))))
        (when (and whole (or group (not (%counts-nothing? noted)))) (update!))
        (call-hooks 'batch)
        (when progress (%show-fit run mean batch batches epochs))
        (when (and whole folder checkpoint-every
                   (= (modulo (fit-step run) checkpoint-every) 0))
          (keep! '())))))

  (define (update!)
    (let ((counts (or (not group) (%end-accumulation! group))))
      (when group (set! group (%new-accumulation "fit")))
      (if counts (step!) (zero-grad optimizer))))

  (define (step!)
    (when detect-nan (%check-gradients model))
    (when clip-norm (clip-grad-norm! (parameters model) clip-norm))
    (optimizer-step optimizer)
    (zero-grad optimizer)
    (when ema (ema-update! ema))
    (when (and schedule (eq? schedule-each 'batch)) (schedule-step! schedule))
    (%set-run-step! run (+ (fit-step run) 1)))

  (define (measure)
    (if ema (with-ema ema (%measured model valid output-of loss-of loss metrics))
        (%measured model valid output-of loss-of loss metrics)))

  (define (end-epoch! start)
    (let ((row (append (list (cons "epoch" (+ (fit-epoch run) 1))
                             (cons "step" (fit-step run))
                             (cons "loss" (running-mean-value mean)))
                       (if valid (measure) '())
                       (list (cons "lr" (learning-rate optimizer))
                             (cons "seconds" (- (current-second) start))))))
      (%end-run-epoch! run row)
      (running-mean-reset! mean)
      (when (and schedule (eq? schedule-each 'epoch))
        (%step-by-metric! schedule row))
      (call-hooks 'epoch)
      (when writer (log-write! writer row))
      (when folder (keep! (filter (lambda (e) (number? (cdr e))) row)))))

  (define loaders (if valid (list loader valid) (list loader)))

  (define (keep! numbers)
    (save-checkpoint folder :model model :optimizer optimizer
                     :schedule schedule :ema ema :loader loaders
                     :step (fit-step run) :metrics numbers
                     :extra (list (cons "run" (%run-state run))
                                  (cons "mean" (running-mean-state mean))
                                  (cons "callbacks" (map %hook-state hooks)))))

  (define (continue!)
    (let ((found (load-checkpoint! folder :model model :optimizer optimizer
                                   :schedule schedule :ema ema
                                   :loader loaders)))
      (let ((extra (%entry found "extra")))
        (%load-run-state! run (%entry extra "run"))
        (load-running-mean-state! mean (%entry extra "mean"))
        (for-each %load-hook-state! hooks (%entry extra "callbacks")))))

  (%check-fit model optimizer loss batch-loss epochs accumulate resume folder)
  (%check-fit-extras metrics schedule folder checkpoint-every)
  (when (and resume (%has-checkpoint? folder)) (continue!))
  (when (module? model) (train-mode! model))
  (set! writer (%fit-log log run))
  (call-hooks 'start)
  (let loop ()
    (when (and (< (fit-epoch run) epochs) (not (fit-stopped? run)))
      (let ((start (current-second)))
        (train-epoch!)
        (end-epoch! start)
        (loop))))
  (call-hooks 'end)
  (when (string? log) (log-close! writer))
  (%history (reverse (%run-rows run))))
