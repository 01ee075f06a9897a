;; loader-state.lisp - where a loader is, as data that a checkpoint keeps.
;;
;;     (("type" . "data-loader") ("examples" . 1797) ... ("epoch" . 2)
;;      ("position" . 7))

(define (loader-state loader)
  "Where a loader is, for load-loader-state!: an alist of strings and values.
  Saved within an epoch, it leads to the batches that were not given out yet."
  (let ((pass (%pass-of "loader-state" loader)))
    (append (%loader-identity loader)
            (%loader-shard loader)
            (list (cons "seed" (%pass-seed pass))
                  (cons "epoch" (%pass-epoch pass))
                  (cons "position" (%pass-position pass))))))

(define (%loader-identity loader)
  "What a state and the loader that takes it must have in common."
  (list (cons "type" "data-loader")
        (cons "examples" (%record-ref loader %loader-type 0 "loader-state"))
        (cons "batch-size" (%batch-size-of loader))
        (cons "shuffle" (%shuffles? loader))
        (cons "drop-last"
              (if (%drop-last? (%loader-settings-of "loader-state" loader))
                  #t
                  #f))))

(define (%loader-shard loader)
  "How many ranks share out the examples of a shard-dataset's loader, and how
  many examples they have; the empty list for another loader."
  (let* ((settings (%loader-settings-of "loader-state" loader))
         (shard (%shard-of settings)))
    (if shard
        (list (cons "ranks" (cadr shard))
              (cons "whole" (dataset-length (%dataset-of settings))))
        '())))

(define (load-loader-state! loader state)
  "Set a loader to a state from loader-state, and return it.  The next pass
  continues there, with the same batches in the same order.  The loader must
  have as many examples, the same batch size, and the same settings of shuffle
  and drop-last.

  A loader of shard-dataset continues that of another number of ranks if all
  ranks' batches together are as large as those were, or at the start of an
  epoch."
  (let ((pass (%pass-of "load-loader-state!" loader)))
    (unless (and (list? state) (every pair? state))
      (wrong-type "load-loader-state!" "an alist from loader-state" state))
    (let ((resharded? (%is-resharded? loader state)))
      (when resharded? (%check-batches-together loader state))
      (for-each
       (lambda (entry) (%check-loader-state state (car entry) (cdr entry)))
       (if resharded?
           (%whole-identity loader)
           (%loader-identity loader))))
    (%leave-pass! pass)
    (%set-pass-number! pass (+ (%pass-number pass) 1))
    (%set-pass-seed! pass (%loader-state-ref state "seed"))
    (%set-pass-epoch! pass (%loader-state-ref state "epoch"))
    (%set-pass-position! pass (%loader-state-ref state "position"))
    (%set-pass-resumed! pass #t)
    loader))

(define (%is-resharded? loader state)
  "Whether loader and state are those of different numbers of ranks."
  (let ((there (assoc "ranks" state))
        (here (assoc "ranks" (%loader-shard loader))))
    (and there here (not (equal? there here)))))

(define (%whole-identity loader)
  "What the state of another number of ranks must have in common, besides the
  size of their batches."
  (cons (assoc "whole" (%loader-shard loader))
        (remove (lambda (entry)
                  (member (car entry) '("examples" "batch-size")))
                (%loader-identity loader))))

(define (%check-batches-together loader state)
  "Raise an error if a position among the batches of another number of ranks is
  not one among those of the ranks here."
  (let ((there (* (%loader-state-ref state "batch-size")
                  (%loader-state-ref state "ranks")))
        (here (* (%batch-size-of loader)
                 (cdr (assoc "ranks" (%loader-shard loader))))))
    (unless (or (= there here) (= 0 (%loader-state-ref state "position")))
      (%error-with-hint
       (format "load-loader-state!: the ranks' batches together were ~a, here \
they are ~a" there here)
       '()
       (format "a batch size of ~a / the number of ranks" there)))))

(define (%loader-state-ref state name)
  "An entry of a loader's state."
  (let ((found (assoc name state)))
    (unless found
      (error (format "load-loader-state!: the state has no entry ~s" name)))
    (cdr found)))

(define (%check-loader-state state name expected)
  "Raise an error unless the state's entry is that of the loader."
  (let ((found (%loader-state-ref state name)))
    (unless (equal? found expected)
      (%error-with-hint
       (format "load-loader-state!: the state has ~a ~s, the loader ~s"
               name found expected)
       '() "create the loader as the one that the state was taken from"))))
