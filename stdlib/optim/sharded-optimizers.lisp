;; sharded-optimizers.lisp - optimizers whose state is divided over the ranks.
;;
;;     (data-parallel! model :shard-optimizer optimizer)
;;
;; Each parameter has an owner, the rank that keeps its state and steps it.  As
;; all ranks have the same gradients, they all have the same parameters again
;; once each owner has given its own to the others.  A step computes each
;; element as without shards, so that the losses are the same, bit for bit.
;;
;; The cohorts of a group are then those of this rank's parameters.

(define-record-type %sharding
  (%make-sharding rank world owners loads)
  %sharding?
  (rank %sharding-rank)
  (world %sharding-world)
  (owners %sharding-owners)            ; a table of parameters and ranks
  (loads %sharding-loads))             ; the elements that each rank steps

(define (%optimizer-sharding optimizer)
  "How an optimizer is sharded, #f if it is not."
  (%record-ref optimizer %optimizer-type 6 "optimizer"))

(define (%shard-optimizer! who optimizer)
  "Keep the state of this rank's parameters only."
  (let ((groups (%optimizer-groups who optimizer))
        (sharding (%make-sharding (rank) (world-size) (make-hash-table)
                                  (make-vector (world-size) 0))))
    (for-each (lambda (group) (%shard-group! sharding group)) groups)
    (%record-set! optimizer %optimizer-type 6 sharding who)))

(define (%check-shardable who optimizer)
  "Raise an error if other ranks have a part of an optimizer's state already."
  (when (%is-divided? optimizer)
    (%error-with-hint
     (string who ": the optimizer is sharded already:") (list optimizer)
     "make a new optimizer; load-checkpoint! puts the saved state into it")))

(define (%shard-group! sharding group)
  "Give the parameters of a group to their owners."
  (for-each (lambda (x)
              (hash-set! (%sharding-owners sharding) x
                         (%least-loaded! (%sharding-loads sharding)
                                         (tensor-numel x))))
            (sort (%group-parameters group)
                  (lambda (x y) (> (tensor-numel x) (tensor-numel y)))))
  (set-%group-cohorts!
   group
   (filter-map (lambda (cohort)
                 (let ((marks (map (lambda (x) (%owns? sharding x))
                                   (%cohort-parameters cohort))))
                   (and (memq #t marks) (%cohort-part cohort marks))))
               (%group-cohorts group))))

(define (%least-loaded! loads size)
  "The index of the smallest number in a vector, to which the size is added."
  (let loop ((k 1) (least 0))
    (cond ((= k (vector-length loads))
           (vector-set! loads least (+ size (vector-ref loads least)))
           least)
          (else
           (loop (+ k 1)
                 (if (< (vector-ref loads k) (vector-ref loads least))
                     k
                     least))))))

(define (%owns? sharding x)
  "Whether this rank steps the parameter x; every rank does without sharding."
  (or (not sharding)
      (= (hash-ref (%sharding-owners sharding) x) (%sharding-rank sharding))))

(define (%is-divided? optimizer)
  "Whether other ranks keep a part of an optimizer's state."
  (let ((sharding (%optimizer-sharding optimizer)))
    (and sharding (> (%sharding-world sharding) 1))))

(define (%step-sharded! sharding algorithm groups)
  "Step this rank's parameters, and give all to all ranks; whether one has a
  gradient."
  (let* ((parameters (append-map %group-parameters groups))
         (moves? (any tensor-grad parameters)))
    (%check-world "optimizer-step" sharding)
    (when moves?
      (%step-groups! algorithm groups #f)
      (when (> (world-size) 1)
        (%collective "optimizer-step" parameters
                     (map (lambda (x) (hash-ref (%sharding-owners sharding) x))
                          parameters))))
    moves?))

(define (%check-world who sharding)
  "Raise an error unless the ranks are those over which it was sharded."
  (unless (and (= (world-size) (%sharding-world sharding))
               (= (rank) (%sharding-rank sharding)))
    (%error-with-hint
     (string who ": the optimizer is sharded over "
             (%sharding-world sharding) " ranks, and this is rank " (rank)
             " of")
     (list (world-size))
     (string "it works inside of the with-distributed in which data-parallel! "
             "has sharded it"))))
