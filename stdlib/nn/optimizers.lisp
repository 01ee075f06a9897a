;; optimizers.lisp - what all optimizers share: parameters, groups, steps.
;;
;; An optimizer is an algorithm and its parameters in groups, each with values
;; of its own for the algorithm's options.  The parameters of a group lie in
;; cohorts: parameters of one device and dtype that have taken the same steps.
;; A step is then one call of an operator over the lists of a cohort, which are
;; built once.  If some parameters of a cohort have no gradient, it splits.
;;
;; It prints as #<optimizer kind: adam parameters: 101770 lr: 0.001>.

;; Fields without a name are not printed: groups, algorithm, and the options of
;; groups that give none.
(define %optimizer-type
  (%record-type 'optimizer #(kind parameters lr #f #f #f)))

;; state-names: a procedure from the options to the names of the tensors that
;; are kept for each parameter.  update!: changes the parameters of a cohort,
;; (update! options cohort gradients).  sparse-update!: the same for sparse
;; gradients, #f where there is none.
(define-record-type %algorithm
  (%make-algorithm kind state-names update! sparse-update!)
  %algorithm?
  (kind %algorithm-kind)
  (state-names %algorithm-state-names)
  (update! %algorithm-update!)
  (sparse-update! %algorithm-sparse-update!))

;; options: an alist of symbols, whose values may change.
(define-record-type %group
  (%make-group parameters options cohorts)
  %group?
  (parameters %group-parameters)
  (options %group-options set-%group-options!)
  (cohorts %group-cohorts set-%group-cohorts!))

;; state: a list of tensors for each name, empty before the first step.  steps:
;; how many were taken.  counters: for each parameter the same tensor, which
;; fused operators read steps from.  layout: sparse or dense, as the gradients
;; are, or unknown.
(define-record-type %cohort
  (%make-cohort parameters state steps counters layout)
  %cohort?
  (parameters %cohort-parameters)
  (state %cohort-state set-%cohort-state!)
  (steps %cohort-steps set-%cohort-steps!)
  (counters %cohort-counters set-%cohort-counters!)
  (layout %cohort-layout set-%cohort-layout!))

(define (optimizer? x)
  "Whether it is an optimizer."
  (%record? x %optimizer-type))

(define (%optimizer-kind optimizer)
  (%record-ref optimizer %optimizer-type 0 "optimizer"))

(define (%optimizer-groups who optimizer)
  "The groups of an optimizer; who asks."
  (if (optimizer? optimizer)
      (%record-ref optimizer %optimizer-type 3 who)
      (%wrong-optimizer who optimizer)))

(define (%wrong-optimizer who x)
  "Raise the error for x, which is not an optimizer."
  (wrong-type who "an optimizer" x))

(define (%optimizer-algorithm optimizer)
  (%record-ref optimizer %optimizer-type 4 "optimizer"))

;; Parameter groups.

;; What parameter-group returns: parameters, and an alist of given options.
(define %parameter-group-type
  (%record-type 'parameter-group #(parameters options #f)))

(define (parameter-group parameters . options)
  "Parameters with hyperparameters of their own, for an optimizer:

  (sgd (list (parameter-group (parameters body) :lr 0.01)
             (parameter-group (parameters head) :lr 0.1 :momentum 0.5))
       :weight-decay 1e-4)

  Hyperparameters that a group does not give are the optimizer's."
  (let ((tensors (%parameter-list "parameter-group" parameters)))
    (%record %parameter-group-type
             (%element-total tensors)
             (%options-of options)
             tensors)))

(define (%parameter-group? x)
  (%record? x %parameter-group-type))

(define (%options-of words)
  "The alist of alternating keywords and values."
  (cond ((null? words) '())
        ((not (keyword? (car words)))
         (wrong-type "parameter-group" "a keyword after the parameters"
                     (car words)))
        ((null? (cdr words))
         (error "parameter-group: no value after" (car words)))
        (else (cons (cons (keyword->symbol (car words)) (cadr words))
                    (%options-of (cddr words))))))

(define (%element-total tensors)
  "The number of elements in the tensors."
  (fold (lambda (x n) (+ n (tensor-numel x))) 0 tensors))

(define (%parameter-list who parameters)
  "The parameters, if they are a list of tensors that can be optimized."
  (cond ((null? parameters)
         (%error-with-hint
          (string who ": there are no parameters") '()
          (string "pass those of a model that has some, "
                  "(parameters model), or a list of tensors")))
        ((not (list? parameters))
         (%error-with-hint
          (string who ": expected a list of parameters, got")
          (list (if (tensor? parameters) (tensor-shape parameters) parameters))
          (if (tensor? parameters)
              "(list w) is the list of one parameter"
              "(parameters model) is the list of a model's parameters")))
        (else
         (%check-parameters who parameters 0)
         parameters)))

(define (%check-parameters who parameters k)
  "Raise an error if one of the parameters, from index k, cannot be optimized."
  (unless (null? parameters)
    (%check-parameter who (car parameters) k)
    (%check-parameters who (cdr parameters) (+ k 1))))

(define (%check-parameter who x k)
  "Raise an error unless x, the parameter at index k, is a leaf that requires
  grad."
  (let ((problem (lambda (text hint)
                   (%error-with-hint
                    (string who ": parameter " k ", of shape "
                            (tensor-shape x) ", " text)
                    '() hint))))
    (cond ((not (tensor? x)) (wrong-type who "a list of tensors" x))
          ((not (requires-grad? x))
           (problem "does not require grad"
                    (string "(requires-grad! w) marks a tensor, and "
                            "(filter requires-grad? parameters) leaves out "
                            "frozen ones")))
          ((not (tensor-is-leaf x))
           (problem "is computed from others, so it is not a leaf"
                    (string "optimize the tensors that it is computed from, "
                            "or (requires-grad! (detach w))"))))))

;; Construction.

(define (make-optimizer kind parameters options state update!)
  "An optimizer with an algorithm of your own.  kind is a symbol, parameters
  are as for `sgd`, options is an alist of hyperparameters, with one for lr,
  and state a list of names of tensors to keep for each parameter, which begin
  as zeros.  For a step,

  (update! options step parameters gradients kept ...)

  changes the parameters in place: step is 1 in the first one, parameters and
  gradients are lists of tensors, kept is such a list for each name in state.
  It is called without recording.

  (define (sign-descent parameters :lr 0.01)
    (make-optimizer 'sign-descent parameters `((lr . ,lr)) '()
                    (lambda (options step parameters gradients)
                      (for-each (lambda (p g)
                                  (tensor-sub! p (* (cdr (assq 'lr options))
                                                    (tensor-sign g))))
                                parameters gradients))))"
  (unless (assq 'lr options)
    (error "make-optimizer: the options have no lr:" options))
  (%build-optimizer
   (%make-algorithm
    kind
    (lambda (options) state)
    (lambda (options cohort gradients)
      (apply update! options (%cohort-steps cohort)
             (%cohort-parameters cohort) gradients (%cohort-state cohort)))
    #f)
   parameters options))

(define (%build-optimizer algorithm parameters defaults)
  "An optimizer of parameters, or groups of them; defaults is an alist of all
  its options."
  (let* ((who (symbol->string (%algorithm-kind algorithm)))
         (groups (map (lambda (given) (%new-group who given defaults))
                      (%given-groups who parameters))))
    (%check-distinct who groups)
    (let ((optimizer (%record %optimizer-type (%algorithm-kind algorithm)
                              0 0 groups algorithm defaults)))
      (%describe! optimizer)
      optimizer)))

(define (%given-groups who parameters)
  "The parameters as a list of pairs: the tensors of a group, and its options."
  (if (and (pair? parameters) (list? parameters)
           (every %parameter-group? parameters))
      (map (lambda (group)
             (cons (%record-ref group %parameter-group-type 2 who)
                   (%record-ref group %parameter-group-type 1 who)))
           parameters)
      (list (cons (%parameter-list
                   who
                   (if (%parameter-group? parameters)
                       (list parameters)
                       parameters))
                  '()))))

(define (%new-group who given defaults)
  "A group of a pair of tensors and options.  Each is checked."
  (for-each (lambda (option)
              (unless (assq (car option) defaults)
                (%error-with-hint
                 (string who ": unknown hyperparameter " (car option)
                         " in a parameter group")
                 '()
                 (string "it takes "
                         (string-join (map (lambda (entry)
                                             (symbol->string (car entry)))
                                           defaults)
                                      ", ")))))
            (cdr given))
  (let ((options (map (lambda (entry)
                        (let ((own (assq (car entry) (cdr given))))
                          (cons (car entry)
                                (%checked-option who (car entry)
                                                 (cdr (or own entry))))))
                      defaults)))
    (%check-options who options)
    (%make-group (car given) options (%first-cohorts (car given)))))

(define (%first-cohorts parameters)
  "New cohorts, one for each device and dtype of the parameters."
  (map (lambda (tensors) (%make-cohort tensors '() 0 '() 'unknown))
       (%by-key (lambda (x) (cons (tensor-device x) (tensor-dtype x)))
                parameters)))

(define (%by-key key items)
  "The items in lists of equal keys, in the order of their first items."
  (let ((table (make-hash-table)))
    (for-each (lambda (x) (hash-update! table (key x)
                                        (lambda (xs) (cons x xs)) '()))
              items)
    (map reverse (hash-values table))))

(define (%check-distinct who groups)
  "Raise an error if a parameter occurs twice in the groups."
  (let ((seen (make-hash-table)))
    (for-each
     (lambda (group)
       (for-each
        (lambda (x)
          (when (hash-has-key? seen x)
            (%error-with-hint
             (string who ": parameter " (hash-ref seen x) ", of shape "
                     (tensor-shape x) ", is given again as parameter "
                     (hash-size seen))
             '()
             (string "each step would change it twice; (delete-duplicates "
                     "parameters eq?) keeps one of each")))
          (hash-set! seen x (hash-size seen)))
        (%group-parameters group)))
     groups)))

(define (%describe! optimizer)
  "Set the fields that are printed."
  (let ((rates (learning-rates optimizer)))
    (%record-set! optimizer %optimizer-type 1
                  (fold + 0 (map (lambda (group)
                                   (%element-total (%group-parameters group)))
                                 (%optimizer-groups "optimizer" optimizer)))
                  "optimizer")
    (%record-set! optimizer %optimizer-type 2
                  (if (null? (cdr rates)) (car rates) rates)
                  "optimizer")))

(define (add-parameter-group! optimizer parameters)
  "Add parameters to an optimizer: a list of tensors, or a `parameter-group`."
  (let* ((who "add-parameter-group!")
         (groups (%optimizer-groups who optimizer))
         (given (%given-groups who (if (%parameter-group? parameters)
                                       (list parameters)
                                       parameters)))
         (defaults (%record-ref optimizer %optimizer-type 5 who))
         (longer (append groups
                         (map (lambda (each) (%new-group who each defaults))
                              given))))
    (%check-distinct who longer)
    (%record-set! optimizer %optimizer-type 3 longer who)
    (%describe! optimizer)))

;; Hyperparameters.

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

;; Steps.

(define %current-optimizer (make-parameter #f))

(define-syntax with-optimizer
  "The value of the body, in which (optimizer-step) and (zero-grad), without an
  argument, are those of the optimizer."
  (syntax-rules ()
    ((_ optimizer body ...)
     (%with-optimizer optimizer (lambda () body ...)))))

(define (%with-optimizer optimizer thunk)
  "The value of the thunk, with an optimizer as the current one."
  (%optimizer-groups "with-optimizer" optimizer)
  (parameterize ((%current-optimizer optimizer)) (thunk)))

(define (%chosen-optimizer who given)
  "The optimizer of an argument list, or the current one."
  (cond ((and (pair? given) (null? (cdr given))) (car given))
        ((pair? given)
         (error (string who ": expected at most 1 argument, got")
                (length given)))
        ((%current-optimizer))
        (else
         (%error-with-hint
          (string who ": there is no current optimizer") '()
          (string "(" who " optimizer), or (with-optimizer optimizer (" who
                  "))")))))

(define (optimizer-step . optimizer)
  "Change the parameters of an optimizer by their gradients, which `backward`
  has computed.  A parameter without a gradient stays as it is; if none has
  one, that is an error.  Without an argument, the optimizer is that of
  `with-optimizer`."
  (let* ((optimizer (%chosen-optimizer "optimizer-step" optimizer))
         (groups (%optimizer-groups "optimizer-step" optimizer))
         (algorithm (%optimizer-algorithm optimizer)))
    (unless (no-grad (%step-groups! algorithm groups #f))
      (%error-with-hint
       (string "optimizer-step: none of the "
               (fold + 0 (map (lambda (group)
                                (length (%group-parameters group)))
                              groups))
               " parameters has a gradient")
       '()
       (string "(backward loss) computes them, from a loss that depends on "
               "the parameters; (zero-grad optimizer) clears them")))))

(define (%step-groups! algorithm groups moved)
  "Step each group; whether a parameter had a gradient, or moved is true."
  (if (null? groups)
      moved
      (%step-groups! algorithm (cdr groups)
                     (%step-cohorts! algorithm (car groups)
                                     (%group-cohorts (car groups)) moved))))

(define (%step-cohorts! algorithm group cohorts moved)
  "Step those cohorts of a group; whether a parameter had a gradient, or moved
  is true."
  (if (null? cohorts)
      moved
      (let ((gradients (%gradients-in (%cohort-parameters (car cohorts)))))
        (%step-cohorts! algorithm group (cdr cohorts)
                        (or (%step-cohort! algorithm group (car cohorts)
                                           gradients)
                            moved)))))

(define (%gradients-in parameters)
  "The gradient of each parameter, or #f.  In scripts, map would take longer
  than the calls."
  (if (null? parameters)
      '()
      (cons (tensor-grad (car parameters))
            (%gradients-in (cdr parameters)))))

(define (%step-cohort! algorithm group cohort gradients)
  "Step the parameters of a cohort that have a gradient; whether there are
  any."
  (let ((step-parts (lambda (first?)
                      (for-each (lambda (part)
                                  (%step-cohort! algorithm group (car part)
                                                 (cdr part)))
                                (%split! group cohort gradients first?))
                      #t)))
    (cond ((memq #f gradients)
           (and (any tensor? gradients) (step-parts tensor?)))
          ((%mixed? algorithm cohort gradients)
           (step-parts tensor-is-sparse))
          (else
           (%take-step! algorithm (%group-options group) cohort gradients)
           #t))))

(define (%mixed? algorithm cohort gradients)
  "Whether some gradients are sparse and others are not; notes the layout."
  (and (eq? (%cohort-layout cohort) 'unknown)
       (let ((sparse (filter tensor-is-sparse gradients)))
         (when (pair? sparse)
           (%check-sparse algorithm (car sparse)))
         (cond ((null? sparse)
                (set-%cohort-layout! cohort 'dense)
                #f)
               ((= (length sparse) (length gradients))
                (set-%cohort-layout! cohort 'sparse)
                #f)
               (else #t)))))

(define (%take-step! algorithm options cohort gradients)
  "Step a cohort, all of whose parameters have gradients."
  (set-%cohort-steps! cohort (+ (%cohort-steps cohort) 1))
  (when (null? (%cohort-state cohort))
    (set-%cohort-state! cohort (%new-state algorithm options cohort)))
  ((if (eq? (%cohort-layout cohort) 'sparse)
       (%algorithm-sparse-update! algorithm)
       (%algorithm-update! algorithm))
   options cohort gradients))

(define (%new-state algorithm options cohort)
  "Tensors of zeros for each name of the algorithm's state."
  (map (lambda (name) (map tensor-zeros-like (%cohort-parameters cohort)))
       ((%algorithm-state-names algorithm) options)))

(define (%check-sparse algorithm gradient)
  "Raise an error unless the algorithm takes sparse gradients."
  (unless (%algorithm-sparse-update! algorithm)
    (%error-with-hint
     (string "optimizer-step: " (%algorithm-kind algorithm)
             " takes no sparse gradients, and one has shape")
     (list (tensor-shape gradient))
     (string "sgd and adagrad take them; an embedding without :sparse #t has "
             "dense gradients"))))

;; Cohorts.

(define (%split! group cohort gradients first?)
  "Split a cohort of a group by a test of the gradients.  The result is a list
  of the parts, first that of gradients that pass: pairs of a cohort and its
  gradients."
  (let ((parts (list (%cohort-part cohort gradients first?)
                     (%cohort-part cohort gradients
                                   (lambda (x) (not (first? x)))))))
    (set-%group-cohorts! group
                         (append-map (lambda (each)
                                       (if (eq? each cohort)
                                           (map car parts)
                                           (list each)))
                                     (%group-cohorts group)))
    parts))

(define (%cohort-part cohort gradients keep?)
  "The cohort of the parameters whose gradients pass a test, and those."
  (let ((kept (lambda (items)
                (filter-map (lambda (x gradient) (and (keep? gradient) x))
                            items gradients))))
    (cons (%make-cohort (kept (%cohort-parameters cohort))
                        (map kept (%cohort-state cohort))
                        (%cohort-steps cohort)
                        '()
                        (%cohort-layout cohort))
          (filter keep? gradients))))

(define (%step-counters cohort)
  "The number of steps of a cohort, as a list of tensors for its parameters."
  (when (null? (%cohort-counters cohort))
    (let ((counter (tensor-zeros '() :device (tensor-device
                                              (car (%cohort-parameters
                                                    cohort))))))
      (set-%cohort-counters! cohort
                             (map (lambda (x) counter)
                                  (%cohort-parameters cohort)))))
  (tensor-fill! (car (%cohort-counters cohort)) (%cohort-steps cohort))
  (%cohort-counters cohort))

(define (zero-grad . optimizer)
  "Clear the gradients of an optimizer's parameters to #f.  Without an
  argument, the optimizer is that of `with-optimizer`."
  (for-each (lambda (group) (apply zero-grad! (%group-parameters group)))
            (%optimizer-groups "zero-grad"
                               (%chosen-optimizer "zero-grad" optimizer))))
