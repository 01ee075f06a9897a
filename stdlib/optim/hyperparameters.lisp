;; hyperparameters.lisp - the options of optimizers: checks, reading, changing.
;;
;; The table in %checked-option says which values fit the names that the
;; library's optimizers use; an optimizer of the program may have others.

(define (%checked-option who name value)
  "The value for a hyperparameter, if it fits; exact numbers become inexact."
  (let ((refuse (lambda (noun)
                  (wrong-type who (string noun " for :" name) value))))
    (case name
      ((lr)
       (cond ((not (real? value)) (refuse "a number of at least 0"))
             ((< value 0)
              (%error-with-hint
               (string who ": expected a number of at least 0 for :lr, got")
               (list value)
               "to climb instead of to descend, pass :maximize #t"))
             (else (inexact value))))
      ((momentum eps weight-decay alpha lr-decay initial-accumulator-value)
       (if (and (real? value) (>= value 0))
           (inexact value)
           (refuse "a number of at least 0")))
      ((betas)
       (if (and (list? value) (= (length value) 2) (every %beta? value))
           (map inexact value)
           (refuse "a list of two numbers from 0 to below 1")))
      ((dampening) (if (real? value) (inexact value) (refuse "a number")))
      ((nesterov maximize amsgrad centered)
       (if (boolean? value) value (refuse "#t or #f")))
      ((foreach)
       (if (memq value '(#t #f auto)) value (refuse "#t, #f or 'auto")))
      (else value))))

(define (%beta? x)
  (and (real? x) (>= x 0) (< x 1)))

(define (%check-options who options)
  "Raise an error if the options do not go together."
  (when (and (%hyper options 'nesterov)
             (or (= (%hyper options 'momentum) 0)
                 (not (= (%hyper options 'dampening) 0))))
    (error (string who ": :nesterov #t needs a :momentum above 0 and "
                   ":dampening 0, got")
           (%hyper options 'momentum) (%hyper options 'dampening))))

(define (%hyper options name)
  "The value of a hyperparameter, #f if there is none of that name."
  (let ((entry (assq name options)))
    (and entry (cdr entry))))

(define (hyperparameter optimizer name :group 0)
  "The value of an optimizer's hyperparameter, such as 'momentum or 'betas, in
  the group at an index."
  (let ((entry (assq name (%group-options
                           (%group-at "hyperparameter" optimizer group)))))
    (unless entry
      (error (string "hyperparameter: " (%optimizer-kind optimizer)
                     " has no hyperparameter")
             name))
    (cdr entry)))

(define (set-hyperparameter! optimizer name value :group #f)
  "Change a hyperparameter of an optimizer, in the group at an index, or in all
  groups."
  (let ((who "set-hyperparameter!"))
    (hyperparameter optimizer name)
    (for-each (lambda (each)
                (%change-option! who (%optimizer-algorithm optimizer) each
                                 name value))
              (if group
                  (list (%group-at who optimizer group))
                  (%optimizer-groups who optimizer)))
    (%describe! optimizer)))

(define (%change-option! who algorithm group name value)
  "Change a hyperparameter of a group, unless that needs other state than it
  has."
  (let* ((old (%group-options group))
         (new (map (lambda (entry)
                     (cons (car entry)
                           (if (eq? (car entry) name)
                               (%checked-option who name value)
                               (cdr entry))))
                   old))
         (names (%algorithm-state-names algorithm)))
    (%check-options who new)
    (unless (or (equal? (names old) (names new))
                (every (lambda (cohort) (= (%cohort-steps cohort) 0))
                       (%group-cohorts group)))
      (%error-with-hint
       (string who ": cannot change " name " to")
       (list value)
       (string "it decides which averages are kept, and steps were taken; "
               "create a new optimizer")))
    (set-%group-options! group new)))

(define (%group-at who optimizer k)
  "The group at index k."
  (let ((groups (%optimizer-groups who optimizer)))
    (unless (and (exact-integer? k) (>= k 0) (< k (length groups)))
      (error (string who ": the index is out of range for " (length groups)
                     (if (null? (cdr groups)) " group:" " groups:"))
             k))
    (list-ref groups k)))

(define (learning-rate optimizer)
  "The learning rate of an optimizer's first group."
  (%hyper (%group-options (car (%optimizer-groups "learning-rate" optimizer)))
           'lr))

(define (learning-rates optimizer)
  "The learning rates of an optimizer's groups, as a list."
  (map (lambda (group) (%hyper (%group-options group) 'lr))
       (%optimizer-groups "learning-rates" optimizer)))

(define (set-learning-rate! optimizer lr)
  "Change the learning rate of all groups of an optimizer; lr may also be a
  list of one for each group."
  (let ((groups (%optimizer-groups "set-learning-rate!" optimizer)))
    (when (and (list? lr) (not (= (length lr) (length groups))))
      (error (string "set-learning-rate!: expected a number or a list of "
                     (length groups) ", one for each group, got")
             lr))
    (%set-rates! "set-learning-rate!" optimizer
                 (if (list? lr) lr (map (lambda (group) lr) groups)))))

(define (%set-rates! who optimizer rates)
  "Change the learning rates of the groups to those of a list."
  (for-each (lambda (group rate)
              (set-cdr! (assq 'lr (%group-options group))
                        (%checked-option who 'lr rate)))
            (%optimizer-groups who optimizer) rates)
  (%describe! optimizer))
