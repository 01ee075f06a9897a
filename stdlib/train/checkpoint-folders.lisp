;; checkpoint-folders.lisp - folders that keep the latest checkpoints and the
;; best ones.
;;
;;     (define runs (checkpoint-folder "runs/a" :keep 3 :best "accuracy"
;;                                     :larger #t))
;;     (save-checkpoint runs :model m ... :step n
;;                      :metrics '(("accuracy" . 0.97)))
;;     (load-checkpoint! runs :model m ...)   the latest undamaged one
;;     (load-checkpoint! (best-checkpoint runs) :model m :random #f)
;;
;; A file is named after its step and holds its metrics, so the files alone say
;; what the folder knows.

(define %checkpoint-folder-type
  (%record-type 'checkpoint-folder #(path keep best keep-best larger sharded)))

(define (checkpoint-folder path :keep 3 :best #f :keep-best 1 :larger #f
                                :sharded #f)
  "A folder of checkpoints, for save-checkpoint and load-checkpoint!.  It is
  created if it does not exist.

  keep: how many of the latest stay, #f for all.  best: the name of a metric;
  the keep-best files in which it is smallest, or largest with :larger #t, stay,
  too.  sharded: each rank of with-distributed writes a part, see
  save-checkpoint; the ranks of several machines share the folder."
  (for-each (lambda (count)
              (unless (or (not count) (and (exact-integer? count) (> count 0)))
                (wrong-type "checkpoint-folder" "a number from 1, or #f"
                            count)))
            (list keep keep-best))
  (make-folder path)
  (%record %checkpoint-folder-type path keep (and best (string best)) keep-best
           larger (if sharded #t #f)))

(define (checkpoint-folder? x)
  "Whether it is what checkpoint-folder returns."
  (%record? x %checkpoint-folder-type))

(define (%is-sharded-folder? x)
  "Whether it is a checkpoint-folder to which each rank writes a part."
  (and (checkpoint-folder? x) (%folder-field x 5)))

(define (%folder-field folder k)
  (%record-ref folder %checkpoint-folder-type k "checkpoint-folder"))

(define (checkpoint-folder-path folder)
  "The path of a checkpoint-folder."
  (%folder-field folder 0))

(define (checkpoint-paths folder)
  "The paths of the checkpoints in a folder, the oldest first.  folder: a
  checkpoint-folder or a path."
  (let ((path (%folder-path folder)))
    (map (lambda (name) (string path "/" name))
         (filter %checkpoint-name? (list-folder path)))))

(define (latest-checkpoint folder)
  "The path of the latest undamaged checkpoint in a folder, or #f."
  (find %intact? (reverse (checkpoint-paths folder))))

(define (best-checkpoint folder :metric #f :larger #f)
  "The path of the checkpoint whose metric is smallest, or largest with :larger
  #t; #f if none has it.  A checkpoint-folder knows which metric counts."
  (let ((ranked (if (checkpoint-folder? folder)
                    (%ranked folder)
                    (%ranked-by (checkpoint-paths folder) metric larger))))
    (and (pair? ranked) (car ranked))))

(define (%folder-path folder)
  (if (checkpoint-folder? folder) (checkpoint-folder-path folder) folder))

;; Names: step-000000120.safetensors, so that their order is that of the steps.

(define %step-digits 9)
(define %checkpoint-end ".safetensors")

(define (%checkpoint-path folder step)
  "The path of the file for a step."
  (unless (and (exact-integer? step) (>= step 0))
    (%error-with-hint
     "save-checkpoint: a checkpoint-folder needs a step from 0, got"
     (list step) "pass :step n"))
  (let ((digits (number->string step)))
    (string (checkpoint-folder-path folder) "/step-"
            (make-string (max 0 (- %step-digits (string-length digits))) #\0)
            digits %checkpoint-end)))

(define (%checkpoint-name? name)
  (and (string-prefix? "step-" name)
       (string-suffix? %checkpoint-end name)))

;; What stays.

(define (%prune-folder! folder)
  "Delete the files that a folder does not keep."
  (let* ((paths (checkpoint-paths folder))
         (keep (%folder-field folder 1))
         (latest (if keep
                     (%first-of (reverse paths) keep)
                     paths))
         (best (%first-of (%ranked folder) (%folder-field folder 3))))
    (for-each (lambda (path)
                (unless (or (member path latest) (member path best))
                  (delete-file path)))
              paths)
    (%delete-stray-parts! (checkpoint-folder-path folder))))

(define (%first-of items n)
  (if (and n (> (length items) n)) (take items n) items))

(define (%ranked folder)
  "The paths of a folder's checkpoints, the best first."
  (%ranked-by (checkpoint-paths folder) (%folder-field folder 2)
              (%folder-field folder 4)))

(define (%ranked-by paths metric larger)
  "The paths of those that have a metric, the best first; of equally good ones,
  the oldest."
  (define (better? a b)
    (if larger (> (cdr a) (cdr b)) (< (cdr a) (cdr b))))
  (let ((name (and metric (string metric))))
    (map car
         (sort (append-map (lambda (path)
                             (let ((value (%metric-in path name)))
                               (if value (list (cons path value)) '())))
                           (if name paths '()))
               better?))))

(define (%metric-in path name)
  "The value of a metric in a checkpoint; #f if it has none that is a number."
  (guard (e (#t #f))
    (let* ((text (hash-ref (tensors-metadata path) "metrics" "{}"))
           (value (hash-ref (string->json text) name #f)))
      (and (number? value) value))))

(define (%metrics-text metrics)
  "The JSON text of metrics, for a file's metadata; nan and infinities, which
  JSON lacks, become null."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry)
                (hash-set! table (string (car entry))
                           (if (and (real? (cdr entry)) (finite? (cdr entry)))
                               (cdr entry)
                               'null)))
              metrics)
    (json->string table)))

;; The latest.

(define (%intact? path)
  "Whether a checkpoint can be read and has its checksum."
  (guard (e (#t #f))
    (%checkpoint-state path)
    #t))

(define (%latest-state folder)
  "The pair of the latest undamaged file in a folder, and the state in it."
  (let loop ((paths (reverse (checkpoint-paths folder))))
    (if (null? paths)
        (%fail-for-undamaged folder)
        (let ((state (%undamaged-state (car paths))))
          (if state
              (cons (car paths) state)
              (loop (cdr paths)))))))

(define (%fail-for-undamaged folder)
  (%error-with-hint
   (format "load-checkpoint!: ~s has no undamaged checkpoint" folder) '()
   "latest-checkpoint returns #f for such a folder"))

(define (%undamaged-state path)
  "The state in a checkpoint; #f, and a report, if it is damaged."
  (guard (e (#t (%report-damage path e) #f))
    (%checkpoint-state path)))

;; The latest on several ranks: rank 0 says which, and all must be able to read
;; it.  What a rank finds by itself can be older, or damaged.

(define (%has-checkpoint? folder)
  "Whether a folder has a checkpoint; with several ranks, whether rank 0 says
  so."
  (let ((found (pair? (checkpoint-paths folder))))
    (if (> (world-size) 1)
        (= 1 (tensor-item (broadcast (%flag found))))
        found)))

(define (%latest-of-all folder)
  "The pair of the latest file that all ranks can read, and the state in it."
  (let ((path (checkpoint-folder-path folder)))
    (%meet-at "load-checkpoint! of a sharded folder on all ranks")
    (let loop ((names (map %last-name (reverse (checkpoint-paths folder)))))
      (let ((name (%text-of-rank-0 (if (null? names) "" (car names)))))
        (when (equal? name "") (%fail-for-undamaged path))
        (let* ((file (string path "/" name))
               (state (%undamaged-state file)))
          (if (= 1 (tensor-item (all-reduce (%flag state) :op 'min)))
              (cons file state)
              (loop (if (null? names) names (cdr names)))))))))

(define (%flag x)
  "A tensor to exchange: 1 for what is true."
  (tensor (if x 1 0) :dtype 'int64 :device "cpu"))

(define (%text-of-rank-0 text)
  "The text that rank 0 passes."
  (let* ((coded (string->utf8 text))
         (bytes (map (lambda (k) (bytevector-u8-ref coded k))
                     (iota (bytevector-length coded))))
         (count (tensor-item (broadcast (tensor (length bytes) :dtype 'int64
                                                :device "cpu"))))
         (own (if (= (rank) 0) bytes (iota count 0 0))))
    (if (= count 0)
        ""
        (utf8->string
         (apply bytevector
                (tensor->list (broadcast (tensor own :dtype 'int64
                                                 :device "cpu"))))))))

(define (%report-damage path e)
  "Say on the error port that a checkpoint cannot be used."
  (format (current-error-port) "load-checkpoint!: skipping ~s: ~a~%" path
          (if (error-object? e) (error-object-message e) e)))
