;; sharded-checkpoints.lisp - checkpoints that all ranks write, and that other
;; numbers of ranks load.
;;
;;     (save-checkpoint "run.ckpt" :sharded #t :model m ...)   on all 4 ranks
;;
;;     run.ckpt                 the index, written last: it names the parts
;;     run.ckpt.part-0-of-4.1   rank 0's part, of the first save to this path
;;     run.ckpt.part-1-of-4.1   ...
;;
;; What all ranks have, the parameters and their states, is divided among the
;; parts; what a rank has for itself, such as its random numbers and its model's
;; buffers, is in its part.  The index appears when all parts are complete, and
;; the parts of an older index stay until then, so a rank that dies while they
;; save damages nothing.  The ranks need one folder together.

(define (%save-shard path step metrics random model ema optimizer schedule
                     loader extra metadata finish)
  "Write this rank's part of a checkpoint; rank 0 writes the index, and calls
  finish before any rank goes on."
  (when optimizer (%each %check-divided optimizer))
  (%meet-at (%save-text path model ema optimizer schedule loader))
  (let* ((number (%next-save path))
         (names (map (lambda (k) (%part-name path k (world-size) number))
                     (iota (world-size))))
         (shares (map (lambda (name share value)
                        (let ((own? (%sharer)))
                          (cons name
                                (and value
                                     (%each (lambda (x) (share x own?))
                                            value)))))
                      %shared-names
                      (list %model-share %average-share %optimizer-share)
                      (list model ema optimizer)))
         (counts (%counts-of-all shares)))
    (save-state
     (%beside (%folder-of path) (list-ref names (rank)))
     (append (list (cons "rank" (rank))
                   (cons "step" step)
                   (cons "metrics" metrics)
                   (cons "random" random))
             shares
             (list (cons "schedule" (and schedule
                                         (%each schedule-state schedule)))
                   (cons "loader" (and loader (%each loader-state loader)))
                   (cons "extra" extra))))
    (%all-ranks)
    (when (= (rank) 0)
      (%check-all-parts path names)
      (save-state path (list (cons "save" number) (cons "parts" names)
                             (cons "counts" counts))
                  :metadata (cons (cons "parts"
                                        (number->string (length names)))
                                  metadata))
      (%delete-other-parts! path names)
      (finish))
    (%all-ranks)
    path))

(define (%check-divided optimizer)
  "Raise an error unless all of an optimizer's state is on the ranks."
  (when (and (optimizer? optimizer) (%is-divided? optimizer))
    (%check-world "save-checkpoint" (%optimizer-sharding optimizer))))

(define (%all-ranks)
  "Wait for all ranks, if there are others."
  (when (> (world-size) 1) (barrier)))

(define (%meet-at text)
  "Wait for all ranks, if there are others, which must say the same text; the
  message about one that does not come has it."
  (when (> (world-size) 1) (%collective "barrier" text)))

(define (%save-text path model ema optimizer schedule loader)
  "What all ranks must save alike, since each writes its share of it."
  (string "save-checkpoint on all ranks to " (%last-name path) " of "
          (string-join
           (append (filter-map (lambda (name text value)
                                 (and value
                                      (string name " (" (%texts text value)
                                              ")")))
                               %shared-names
                               (list %saved-model-text %saved-average-text %saved-optimizer-text)
                               (list model ema optimizer))
                   (if schedule '("schedule") '())
                   (if loader '("loader") '())
                   '("random numbers"))
           ", ")))

(define (%texts text value)
  "The text of a value, or of each in a list."
  (if (list? value) (string-join (map text value) "; ") (text value)))

(define (%saved-sizes-text tensors)
  (string (length tensors) " tensors, " (apply + (map tensor-numel tensors))
          " elements"))

(define (%saved-model-text model)
  (%saved-sizes-text (map cdr (state-dict model))))

(define (%saved-average-text average)
  (%saved-sizes-text (%ema-field "save-checkpoint" average 3)))

(define (%saved-optimizer-text optimizer)
  (let ((groups (%optimizer-groups "save-checkpoint" optimizer)))
    (string (%saved-sizes-text (append-map %group-parameters groups))
            (if (%is-divided? optimizer)
                ", divided"
                (string ", states of " (%count-stepped groups))))))

(define (%count-stepped groups)
  "How many parameters have been stepped."
  (apply + (map (lambda (cohort)
                  (if (= (%cohort-steps cohort) 0)
                      0
                      (length (%cohort-parameters cohort))))
                (append-map %group-cohorts groups))))

(define (%counts-of-all shares)
  "How many entries the shares of all ranks have together, for each name."
  (let ((counts (map (lambda (share) (%count-in (car share) (cdr share)))
                     shares)))
    (if (> (world-size) 1)
        (tensor->list (all-reduce (tensor counts :dtype 'int64 :device "cpu")))
        counts)))

(define (%next-save path)
  "The number of a save, one after that of the index; rank 0 says which."
  (let ((number (if (and (= (rank) 0) (file-exists? path))
                    (+ 1 (guard (e (#t 0))
                           (cdr (assoc "save" (load-state path)))))
                    1)))
    (if (> (world-size) 1)
        (tensor-item (broadcast (tensor number :dtype 'int64 :device "cpu")))
        number)))

;; Names.

(define %part-mark ".part-")

(define (%part-name path rank world number)
  "The name of a part, in the folder of the index."
  (string (%last-name path) %part-mark rank "-of-" world "." number))

(define (%last-name path)
  (let ((slash (string-index-right path #\/)))
    (if slash (substring path (+ slash 1) (string-length path)) path)))

(define (%check-all-parts path names)
  "Raise an error unless rank 0 sees all parts."
  (for-each (lambda (name)
              (unless (file-exists? (%beside (%folder-of path) name))
                (%error-with-hint
                 (format "save-checkpoint: rank 0 does not find ~s, which \
another rank has written" name)
                 '()
                 "the ranks of all machines save to one folder, which they \
share")))
            names))

(define (%delete-other-parts! path names)
  "Delete the parts of older saves to a path."
  (let ((start (string (%last-name path) %part-mark)))
    (for-each (lambda (name)
                (when (and (string-prefix? start name)
                           (not (member name names)))
                  (delete-file (%beside (%folder-of path) name))))
              (list-folder (%folder-of path)))))

(define (%delete-stray-parts! folder)
  "Delete the parts in a folder that have no index: of saves that were not
  completed, and of deletions."
  (for-each (lambda (name)
              (let ((mark (string-contains name %part-mark)))
                (when (and mark (string-prefix? "step-" name)
                           (not (file-exists?
                                 (string folder "/" (substring name 0 mark)))))
                  (delete-file (string folder "/" name)))))
            (list-folder folder)))

;; Shares.  The ranks go through the same tensors in the same order, and each is
;; written by the rank that has the fewest elements so far.

(define %shared-names '("model" "ema" "optimizer"))

(define (%sharer)
  "A procedure of a number of elements: whether this rank writes them."
  (let ((loads (make-vector (world-size) 0)))
    (lambda (size) (= (%least-loaded! loads size) (rank)))))

(define (%model-share model own?)
  "This rank's share of a model's parameters, and its buffers: each rank has its
  own, such as the running means of batch-norm."
  (let ((buffers (%make-identity-table)))
    (for-each (lambda (entry) (hash-set! buffers (cdr entry) #t))
              (named-buffers model))
    (filter (lambda (entry)
              (or (hash-has-key? buffers (cdr entry))
                  (own? (tensor-numel (cdr entry)))))
            (state-dict model))))

(define (%average-share average own?)
  "The state of an average, with #f for the tensors of other ranks."
  (map (lambda (entry)
         (if (equal? (car entry) "averages")
             (cons "averages"
                   (map (lambda (x) (and (own? (tensor-numel x)) x))
                        (cdr entry)))
             entry))
       (ema-state average)))

(define (%optimizer-share optimizer own?)
  "The state of an optimizer: what this rank alone has, or its share."
  (let ((state (optimizer-state optimizer)))
    (if (%is-divided? optimizer)
        state
        (map (lambda (entry)
               (if (equal? (car entry) "state")
                   (cons "state"
                         (filter (lambda (each)
                                   (own? (%state-size (cdr each))))
                                 (cdr entry)))
                   entry))
             state))))

(define (%state-size tensors)
  "The number of elements in the state of a parameter, an alist."
  (fold (lambda (entry n)
          (if (tensor? (cdr entry)) (+ n (tensor-numel (cdr entry))) n))
        0 tensors))

;; Loading.

(define (%is-index? state)
  "Whether a state is the index of a sharded checkpoint."
  (and (list? state)
       (every pair? state)
       (every (lambda (name) (assoc name state)) '("save" "parts" "counts"))
       (let ((names (cdr (assoc "parts" state))))
         (and (pair? names) (list? names) (every %is-plain-name? names)))))

(define (%is-plain-name? name)
  "Whether it is the name of a file in the folder itself."
  (and (string? name)
       (not (string-contains name "/"))
       (string-contains name %part-mark)
       #t))

(define (%merged-checkpoint path index)
  "The state of a checkpoint of which the index is given, as this rank loads it:
  a rank that did not exist has the buffers, the random numbers, the loader and
  the extra data of one that did.  Metrics are those of rank 0."
  (let* ((folder (%folder-of path))
         (parts (map (lambda (name) (load-state (%beside folder name)))
                     (cdr (assoc "parts" index))))
         (own (list-ref parts (modulo (rank) (length parts))))
         (all-of (lambda (name)
                   (map (lambda (part) (cdr (assoc name part))) parts))))
    (for-each (lambda (name saved)
                (%check-entries path name saved (all-of name)))
              %shared-names (cdr (assoc "counts" index)))
    (filter-map
     (lambda (entry)
       (let* ((name (car entry))
              (all (all-of name)))
         (and (or (cdr entry) (member name '("step" "metrics" "extra")))
              (not (equal? name "rank"))
              (cons name
                    (cond ((equal? name "model")
                           (%merged %merged-alists (cons (cdr entry) all)))
                          ((equal? name "metrics") (car all))
                          ((equal? name "ema") (%merged %merged-averages all))
                          ((equal? name "optimizer")
                           (%merged %merged-optimizers all))
                          (else (cdr entry)))))))
     own)))

(define (%merged merge states)
  "The states of all ranks as one; or, if each is a list of several models or
  the like, a list of these."
  (if (every %is-several? states)
      (apply map (lambda each (merge each)) states)
      (merge states)))

(define (%is-several? state)
  "Whether it is a list of states, which are alists."
  (and (pair? state)
       (list? state)
       (every (lambda (each) (or (null? each)
                                 (and (pair? each) (pair? (car each)))))
              state)))

(define (%check-entries path name saved states)
  "Raise an error unless the parts have as many entries as were saved."
  (let ((found (apply + (map (lambda (state) (%count-in name state)) states))))
    (unless (equal? found saved)
      (%error-with-hint
       (format "load-checkpoint!: the parts of ~s have ~a of the ~a entries of \
the ~a" path found saved name)
       '() "load another checkpoint: the parts of this one do not fit together"))))

(define (%count-in name state)
  "The number of tensors of models and averages, or of parameters with a state
  of optimizers, in a part's state, or in a list of several."
  (cond ((or (not state) (null? state)) 0)
        ((%is-several? state)
         (apply + (map (lambda (each) (%count-in name each)) state)))
        ((equal? name "model") (length state))
        ((equal? name "ema")
         (length (filter tensor? (cdr (assoc "averages" state)))))
        (else (length (cdr (assoc "state" state))))))

(define (%merged-alists states)
  "The entries of all; of those with one name, the first."
  (let ((names (make-hash-table)))
    (filter (lambda (entry)
              (let ((is-new (not (hash-has-key? names (car entry)))))
                (hash-set! names (car entry) #t)
                is-new))
            (apply append states))))

(define (%merged-averages states)
  (map (lambda (entry)
         (if (equal? (car entry) "averages")
             (cons "averages"
                   (apply map (lambda each (find tensor? each))
                          (map (lambda (state) (cdr (assoc "averages" state)))
                               states)))
             entry))
       (car states)))

(define (%merged-optimizers states)
  (map (lambda (entry)
         (if (equal? (car entry) "state")
             (cons "state"
                   (append-map (lambda (state) (cdr (assoc "state" state)))
                               states))
             entry))
       (car states)))
