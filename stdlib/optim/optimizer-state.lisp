;; optimizer-state.lisp - the state of an optimizer, in PyTorch's layout.
;;
;; So that an optimizer of PyTorch can take over where one of ours stopped, and
;; the other way round.  Parameters are numbered over all groups; a state names
;; them by these numbers.

(define (optimizer-state optimizer)
  "The state of an optimizer, as an alist in the layout of PyTorch's
  state_dict: {\"state\": {\"0\": {\"step\", \"exp_avg\", ...}, ...},
  \"param_groups\": [{\"lr\", ..., \"params\": [0, ...]}, ...]}.  Tensors in it
  are copies.  An optimizer that data-parallel! has sharded has the state of
  this rank's parameters only."
  (let* ((groups (%optimizer-groups "optimizer-state" optimizer))
         (algorithm (%optimizer-algorithm optimizer))
         (numbers (%parameter-numbers groups)))
    (list (cons "state"
                (append-map (lambda (group)
                              (%group-state algorithm group numbers))
                            groups))
          (cons "param_groups"
                (map (lambda (group)
                       (%saved-options algorithm group numbers))
                     groups)))))

(define (%parameter-numbers groups)
  "A table of the parameters of all groups and their numbers."
  (let ((numbers (make-hash-table)))
    (for-each (lambda (x) (hash-set! numbers x (hash-size numbers)))
              (append-map %group-parameters groups))
    numbers))

(define (%group-state algorithm group numbers)
  "The alist of the parameters' numbers, as strings, and their state."
  (let ((entries (append-map
                  (lambda (cohort)
                    (%cohort-entries algorithm group cohort numbers))
                  (%group-cohorts group))))
    (map (lambda (entry)
           (cons (number->string (car entry)) (cdr entry)))
         (sort entries (lambda (a b) (< (car a) (car b)))))))

(define (%cohort-entries algorithm group cohort numbers)
  "An alist of the numbers of a cohort's parameters and their state."
  (if (= (%cohort-steps cohort) 0)
      '()
      (let ((names ((%algorithm-state-names algorithm)
                    (%group-options group))))
        (map (lambda (x k)
               (cons (hash-ref numbers x)
                     (append
                      (if (eq? (%algorithm-kind algorithm) 'sgd)
                          '()
                          (list (cons "step"
                                      (tensor (inexact
                                               (%cohort-steps cohort))))))
                      (map (lambda (name tensors)
                             (cons name (tensor-copy (list-ref tensors k))))
                           names (%cohort-state cohort)))))
             (%cohort-parameters cohort)
             (iota (length (%cohort-parameters cohort)))))))

(define (%saved-options algorithm group numbers)
  "The alist of a group's options by PyTorch's names, and of its parameters'
  numbers."
  (append (filter-map (lambda (entry)
                        (and (not (eq? (car entry) 'foreach))
                             (cons (%saved-name (car entry)) (cdr entry))))
                      (%group-options group))
          (if (memq (%algorithm-kind algorithm) '(adam adamw))
              (list (cons "decoupled_weight_decay"
                          (eq? (%algorithm-kind algorithm) 'adamw)))
              '())
          (list (cons "params"
                      (map (lambda (x) (hash-ref numbers x))
                           (%group-parameters group))))))

(define (%saved-name name)
  "A hyperparameter's name in PyTorch."
  (string-replace (symbol->string name) "-" "_"))

;; Loading.

(define (load-optimizer-state! optimizer state)
  "Put an optimizer into a state that `optimizer-state` returned, or that
  PyTorch's state_dict returned and `load-state-dict` read, and return it.
  Groups, parameters and their shapes must be the same; otherwise it is an
  error, and the optimizer is unchanged.  One that is sharded takes its part of
  the state."
  (let* ((who "load-optimizer-state!")
         (groups (%optimizer-groups who optimizer))
         (algorithm (%optimizer-algorithm optimizer))
         (saved (%saved-ref who state "param_groups"))
         (entries (%saved-ref who state "state")))
    (%check-count who "groups" (length saved) (length groups))
    (let* ((options (map (lambda (group each)
                           (%loaded-options who algorithm group each))
                         groups saved))
           (cohorts (map (lambda (group each options)
                           (%loaded-cohorts who algorithm group options
                                            (%saved-ref who each "params")
                                            entries
                                            (%optimizer-sharding optimizer)))
                         groups saved options)))
      (for-each set-%group-options! groups options)
      (for-each set-%group-cohorts! groups cohorts)
      (%describe! optimizer)
      optimizer)))

(define (%check-count who what found expected)
  "Raise an error unless the saved number of something is the optimizer's."
  (unless (= found expected)
    (error (string who ": the state has " found " " what
                   ", the optimizer has")
           expected)))

(define (%saved-ref who table key)
  "The value of a key in an alist or a hash table."
  (let ((value (%saved-value table key)))
    (unless value
      (error (string who ": the state has no") key))
    value))

(define (%saved-value table key)
  "The value of a key in an alist or a hash table; #f for none.  A number may
  also have been saved as a string."
  (let ((found (cond ((hash-table? table) (hash-ref table key #f))
                     ((list? table) (%assoc-value key table))
                     (else #f))))
    (cond (found found)
          ((number? key) (%saved-value table (number->string key)))
          (else #f))))

(define (%assoc-value key alist)
  "The value of a key in an alist, #f for none."
  (let ((entry (assoc key alist)))
    (and entry (cdr entry))))

(define (%saved-entries table)
  "The entries of an alist or a hash table, as an alist."
  (if (hash-table? table) (hash->list table) table))

;; What groups of PyTorch's optimizers hold besides hyperparameters.
(define %foreign-options
  '("params" "param_names" "foreach" "capturable" "differentiable" "fused"
    "decoupled_weight_decay" "initial_lr" "max_lr" "min_lr" "max_momentum"
    "base_momentum" "swa_lr"))

(define (%loaded-options who algorithm group saved)
  "The options of a group, with the saved values."
  (let ((names (map (lambda (entry) (%saved-name (car entry)))
                    (%group-options group))))
    (for-each (lambda (entry)
                (unless (or (member (car entry) names)
                            (member (car entry) %foreign-options))
                  (%wrong-state who algorithm (car entry))))
              (%saved-entries saved))
    (%check-decoupled who algorithm saved)
    (append (map (lambda (entry)
                   (cons (car entry) (%loaded-option who entry saved)))
                 (%group-options group))
            (%loaded-rates (%group-options group) saved))))

(define (%loaded-option who entry saved)
  "The saved value of one option, or its present one if none was saved."
  (let ((found (assoc (%saved-name (car entry)) (%saved-entries saved))))
    (if (and found (not (eq? (car entry) 'foreach)))
        (%checked-option who (car entry)
                         (if (tensor? (cdr found))
                             (tensor-item (cdr found))
                             (cdr found)))
        (cdr entry))))

(define (%loaded-rates options saved)
  "The rate from which schedules begin, if the options have none yet."
  (let ((rate (%saved-value saved "initial_lr")))
    (if (and rate (not (assq 'initial-lr options)))
        (list (cons 'initial-lr rate))
        '())))

(define (%wrong-state who algorithm name)
  "Raise the error for a state with a name that the algorithm does not know."
  (%error-with-hint
   (string who ": the state has " name ", which "
           (%algorithm-kind algorithm) " does not use")
   '()
   "it is the state of another optimizer"))

(define (%check-decoupled who algorithm saved)
  "Raise an error if a state of AdamW is loaded into Adam, or vice versa."
  (let ((entry (assoc "decoupled_weight_decay" (%saved-entries saved))))
    (when (and entry
               (not (eq? (cdr entry) (eq? (%algorithm-kind algorithm) 'adamw))))
      (error (string who ": the state is one of "
                     (if (cdr entry) "adamw" "adam") ", the optimizer is")
             (%algorithm-kind algorithm)))))

(define (%loaded-cohorts who algorithm group options numbers entries sharding)
  "The cohorts of a group's parameters, with the state saved for their numbers;
  only those of this rank if the optimizer is sharded."
  (%check-count who "parameters in a group" (length numbers)
                (length (%group-parameters group)))
  (let* ((names ((%algorithm-state-names algorithm) options))
         (loaded (filter-map
                  (lambda (x number)
                    (and (%owns? sharding x)
                         (%loaded-state who algorithm names x number
                                        (%saved-value entries number))))
                  (%group-parameters group) numbers)))
    (%regrouped loaded)))

(define (%loaded-state who algorithm names x number saved)
  "The parameter x, its steps, and copies of its saved tensors, as a list."
  (let* ((kept (filter cdr (if saved (%saved-entries saved) '())))
         (tensors (filter (lambda (entry) (not (equal? (car entry) "step")))
                          kept)))
    (for-each (lambda (entry)
                (unless (member (car entry) names)
                  (%wrong-state who algorithm (car entry)))
                (%check-loaded who (car entry) (cdr entry) number x))
              tensors)
    (cons* x
           (%loaded-steps (%assoc-value "step" kept) tensors)
           (if (null? kept)
               '()
               (map (lambda (name)
                      (let ((tensor (%assoc-value name tensors)))
                        (unless tensor
                          (error (string who ": the state of parameter "
                                         number " has no")
                                 name))
                        (no-grad
                          (tensor-copy! (tensor-empty-like x) tensor))))
                    names)))))

(define (%check-loaded who name tensor number x)
  "Raise an error unless a saved tensor has the shape of its parameter x."
  (unless (and (tensor? tensor)
               (equal? (tensor-shape tensor) (tensor-shape x)))
    (error (string who ": " name " of parameter " number " has shape "
                   (if (tensor? tensor) (tensor-shape tensor) tensor)
                   ", the parameter has")
           (tensor-shape x))))

(define (%loaded-steps step tensors)
  "How many steps were taken: as saved, or 1 if only other state was."
  (cond ((tensor? step) (exact (tensor-item step)))
        (step (exact step))
        ((pair? tensors) 1)
        (else 0)))
