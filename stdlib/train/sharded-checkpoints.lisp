;; sharded-checkpoints.lisp - checkpoints that all ranks write, and that other
;; numbers of ranks load.
;;
;;     (save-checkpoint "run.ckpt" :sharded #t :model m ...)   on all 4 ranks
;;
;;     run.ckpt                 the index, written last: it names the parts
;;     run.ckpt.part-0-of-4.1   rank 0's part, of the first save to this path
;;     run.ckpt.part-1-of-4.1   ...
;;
;; Tensors that all ranks have are divided among the parts; what only one has,
;; such as its random numbers, is in its part.  The index appears when all parts
;; are complete, and the parts of an older index stay until then, so a rank that
;; dies while they save damages nothing.  The ranks need one folder together.

(define (%save-shard path step metrics random model ema optimizer schedule
                     loader extra metadata finish)
  "Write this rank's part of a checkpoint; rank 0 writes the index, and calls
  finish before any rank goes on."
  (let* ((number (%next-save path))
         (names (map (lambda (k) (%part-name path k (world-size) number))
                     (iota (world-size))))
         (own? (%sharer)))
    (save-state
     (%beside (%folder-of path) (list-ref names (rank)))
     (list (cons "rank" (rank))
           (cons "step" step)
           (cons "metrics" metrics)
           (cons "random" random)
           (cons "model" (and model (%each (lambda (m) (%model-share m own?))
                                           model)))
           (cons "ema" (and ema (%each (lambda (e) (%average-share e own?))
                                       ema)))
           (cons "optimizer"
                 (and optimizer
                      (%each (lambda (o) (%optimizer-share o own?)) optimizer)))
           (cons "schedule" (and schedule (%each schedule-state schedule)))
           (cons "loader" (and loader (%each loader-state loader)))
           (cons "extra" extra)))
    (%all-ranks)
    (when (= (rank) 0)
      (%check-all-parts path names)
      (save-state path (list (cons "save" number) (cons "parts" names))
                  :metadata metadata)
      (%delete-other-parts! path names)
      (finish))
    (%all-ranks)
    path))

(define (%all-ranks)
  "Wait for all ranks, if there are others."
  (when (> (world-size) 1) (barrier)))

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

(define (%sharer)
  "A procedure of a number of elements: whether this rank writes them."
  (let ((loads (make-vector (world-size) 0)))
    (lambda (size) (= (%least-loaded! loads size) (rank)))))

(define (%model-share model own?)
  "This rank's entries of a model's tensors."
  (filter (lambda (entry) (own? (tensor-numel (cdr entry))))
          (state-dict model)))

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
  (and (list? state) (every pair? state) (assoc "parts" state) #t))

(define (%merged-checkpoint path index)
  "The state of a checkpoint of which the index is given, as this rank loads it:
  a rank that did not exist has the random numbers, the loader and the extra
  data of one that did."
  (let* ((folder (%folder-of path))
         (parts (map (lambda (name) (load-state (%beside folder name)))
                     (cdr (assoc "parts" index))))
         (own (list-ref parts (modulo (rank) (length parts)))))
    (filter-map
     (lambda (entry)
       (let* ((name (car entry))
              (all (map (lambda (part) (cdr (assoc name part))) parts)))
         (and (or (cdr entry) (member name '("step" "metrics" "extra")))
              (not (equal? name "rank"))
              (cons name
                    (cond ((equal? name "model")
                           (%merged %merged-alists all))
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

(define (%merged-alists states)
  (apply append states))

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
