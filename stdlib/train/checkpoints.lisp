;; checkpoints.lisp - a training that can continue, in one file.
;;
;;     (save-checkpoint "run.ckpt" :model m :optimizer opt :loader l :step n)
;;     (load-checkpoint! "run.ckpt" :model m :optimizer opt :loader l)
;;
;; A checkpoint is a state file (state-files.lisp) of the states of all that
;; changes while a model learns, the random numbers included.  So the losses of
;; a resumed run are those of one that was not interrupted, bit for bit.

;; A part of a checkpoint: its keyword, how to save it and to load it.
(define-record-type %kept-part
  (%make-kept-part name save load)
  %kept-part?
  (name %kept-name)
  (save %kept-save)
  (load %kept-load))

(define (%kept-parts)
  "The parts besides the model, in the order in which they are loaded."
  (list (%make-kept-part "ema" ema-state load-ema-state!)
        (%make-kept-part "optimizer" optimizer-state load-optimizer-state!)
        (%make-kept-part "schedule" schedule-state load-schedule-state!)
        (%make-kept-part "loader" loader-state load-loader-state!)))

(define (save-checkpoint path :model #f :optimizer #f :schedule #f :loader #f
                              :ema #f :step #f :metrics '() :extra '()
                              :sharded #f)
  "Write the states of a training to one safetensors file.

  path: a file, or a checkpoint-folder, which names the file after the step and
  removes those that it does not keep.  Each of model, optimizer, schedule,
  loader and ema may be a list of several.  metrics: an alist of strings and
  numbers, by which a folder finds the best.  extra: other data to keep; see
  save-state.  The state of all random numbers is always in it.  The file
  appears when it is complete.  The result is its path.

  The tensors of the model are called model.PATH in the file.

  sharded: all ranks of with-distributed call it, and each writes a part, beside
  the file, which names them; metrics are those of rank 0.  They pass the same
  model, ema and optimizer.  Any number of ranks can load it.  A folder knows
  itself whether it is sharded."
  (let ((file (if (checkpoint-folder? path) (%checkpoint-path path step) path))
        (metadata (list (cons "checkpoint" "1")
                        (cons "metrics" (%metrics-text metrics))))
        (prune! (lambda ()
                  (when (checkpoint-folder? path) (%prune-folder! path)))))
    (cond ((or sharded (%is-sharded-folder? path))
           (%save-shard file step metrics (random-state) model ema optimizer
                        schedule loader extra metadata prune!))
          (else
           (%check-undivided optimizer)
           (%save-whole file step metrics model
                        (list ema optimizer schedule loader) extra metadata)
           (%delete-other-parts! file '())
           (prune!)))
    file))

(define (%save-whole file step metrics model values extra metadata)
  "Write a checkpoint to one file."
  (save-state file
              (append (list (cons "step" step)
                            (cons "metrics" metrics)
                            (cons "random" (random-state)))
                      (if model
                          (list (cons "model" (%each state-dict model)))
                          '())
                      (append-map %saved-part (%kept-parts) values)
                      (list (cons "extra" extra)))
              :metadata metadata))

(define (%check-undivided optimizer)
  "Raise an error if other ranks have a part of the optimizer's state."
  (when (any (lambda (each) (and (optimizer? each) (%is-divided? each)))
             (if (list? optimizer) optimizer (list optimizer)))
    (%error-with-hint
     "save-checkpoint: the state of the optimizer is divided over the ranks" '()
     ":sharded #t, on all ranks, saves all parts")))

(define (%saved-part part value)
  "The entry of a part, in a list; the empty list without a value."
  (if value
      (list (cons (%kept-name part) (%each (%kept-save part) value)))
      '()))

(define (%each f value)
  "f of a value, or of each in a list."
  (if (list? value) (map f value) (f value)))

(define (load-checkpoint! path :model #f :optimizer #f :schedule #f :loader #f
                               :ema #f :random #t)
  "Put the parts of a training into the states that save-checkpoint wrote.

  path: a file, or a checkpoint-folder or its path, of which the latest
  undamaged file is taken.  The random numbers continue, too, unless :random is
  #f.  A checkpoint of another model or optimizer is an error, and changes
  nothing.  The result is an alist of \"step\", \"metrics\", \"extra\" and
  \"path\".

  A sharded checkpoint is loaded by each rank.  With a sharded checkpoint-folder
  all ranks call it, and take the latest that all of them can read.  If their
  number has changed, loaders of shard-dataset continue where the ranks together
  were, and buffers, random numbers and extra data are those of one of the ranks
  that saved."
  (let* ((found (%load-checkpoint-state path))
         (file (car found))
         (state (cdr found))
         (plans (if model
                    (%each-with (lambda (m table)
                                  (%plan-checkpoint file m table))
                                model (%part-of file state "model"))
                    '())))
    (%load-parts! file state (list ema optimizer schedule loader))
    (for-each %load-planned! (if (list? plans) plans (list plans)))
    (when random (set-random-state! (%part-of file state "random")))
    (append (map (lambda (name) (cons name (%part-of file state name)))
                 '("step" "metrics" "extra"))
            (list (cons "path" file)))))

(define (%load-parts! file state values)
  "Load the parts besides the model; if one fails, all are as before."
  (let* ((parts (%kept-parts))
         (before (map (lambda (part value)
                        (and value (%each (%kept-save part) value)))
                      parts values))
         (load-from! (lambda (state-of)
                       (for-each (lambda (part value old)
                                   (when value
                                     (%each-with (%kept-load part) value
                                                 (state-of part old))))
                                 parts values before)))
         (result (%settle
                  (%try (lambda ()
                          (load-from! (lambda (part old)
                                        (%part-of file state
                                                  (%kept-name part)))))))))
    (when (%caught? result)
      (load-from! (lambda (part old) old)))
    (%finish result)))

(define (%each-with f value state)
  "f of a value and its state, or of each in lists."
  (cond ((not (list? value)) (f value state))
        ((and (list? state) (= (length state) (length value)))
         (map f value state))
        (else
         (error (format "load-checkpoint!: a list of ~a is given, saved were"
                        (length value))
                (if (list? state) (length state) 1)))))

(define (%plan-checkpoint file model table)
  (%plan-loading "load-checkpoint!" (format "~s" file) model table
                 "" '() #t #t))

(define (%part-of file state name)
  "The state of a part of a checkpoint."
  (let ((found (assoc name state)))
    (if found
        (cdr found)
        (%error-with-hint
         (format "load-checkpoint!: ~s has no ~a; it has ~a" file name
                 (string-join (map car state) ", "))
         '()
         (format "leave out :~a, or pass it to save-checkpoint, too" name)))))

(define (%load-checkpoint-state path)
  "The pair of a file and the state in it."
  (cond ((and (%is-sharded-folder? path) (> (world-size) 1))
         (%latest-of-all path))
        ((checkpoint-folder? path) (%latest-state (checkpoint-folder-path path)))
        ((folder? path) (%latest-state path))
        (else (cons path (%checkpoint-state path)))))

(define (%checkpoint-state path)
  "The state in a file, which must be a checkpoint, or in the parts that it
  names."
  (let ((state (load-state path)))
    (cond ((%is-index? state) (%merged-checkpoint path state))
          ((and (list? state) (every pair? state) (assoc "random" state))
           state)
          (else
           (%error-with-hint
            (format "load-checkpoint!: ~s holds a state, but not a checkpoint"
                    path)
            '() "read it with load-state")))))
