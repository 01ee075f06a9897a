;; optimizers.lisp - what all optimizers share: parameters, groups, steps.
;;
;; An optimizer is an algorithm and its parameters in groups, each with values
;; of its own for the algorithm's options.  The parameters of a group lie in
;; cohorts: parameters of one device and dtype that have taken the same steps.
;; A step is then one call of an operator over the lists of a cohort, which are
;; built once.  If some parameters of a cohort have no gradient, it splits.
;;
;; It prints as #<optimizer kind: adam parameters: 101770 lr: 0.001>.

;; Fields without a name are not printed: groups, algorithm, the options of
;; groups that give none, and how it is sharded.
(define %optimizer-type
  (%record-type 'optimizer #(kind parameters lr #f #f #f #f)))

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
;; fused operators read steps from.  layout: dense, strided or sparse, as the
;; gradients are, or unknown.
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
                              0 0 groups algorithm defaults #f)))
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
         (new (map (lambda (each) (%new-group who each defaults)) given))
         (longer (append groups new))
         (sharding (%optimizer-sharding optimizer)))
    (%check-distinct who longer)
    (when sharding
      (for-each (lambda (group) (%shard-group! sharding group)) new))
    (%record-set! optimizer %optimizer-type 3 longer who)
    (%describe! optimizer)))
