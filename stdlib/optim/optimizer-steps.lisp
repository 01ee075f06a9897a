;; optimizer-steps.lisp - steps of an optimizer, cohort by cohort.
;;
;; A cohort splits when only some of its parameters have a gradient, or when
;; some gradients are sparse; the parts are stepped by themselves from then on.

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
      (let ((group (car groups)))
        (when (any %moved? (%group-cohorts group))
          (%move-state! group))
        (%step-groups! algorithm (cdr groups)
                       (%step-cohorts! algorithm group
                                       (%group-cohorts group) moved)))))

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

;; Parameters that `to!` has moved to another device or dtype.

(define (%moved? cohort)
  "Whether the first parameter of a cohort is no longer where its state is."
  (and (pair? (%cohort-state cohort))
       (let ((x (car (%cohort-parameters cohort)))
             (kept (caar (%cohort-state cohort))))
         (not (and (eq? (tensor-dtype x) (tensor-dtype kept))
                   (equal? (tensor-device x) (tensor-device kept)))))))

(define (%move-state! group)
  "Move the state of a group to its parameters, in new cohorts."
  (set-%group-cohorts!
   group
   (%regrouped
    (append-map
     (lambda (cohort)
       (map (lambda (x k)
              (cons* x (%cohort-steps cohort)
                     (map (lambda (tensors)
                            (%like-tensor (list-ref tensors k) x))
                          (%cohort-state cohort))))
            (%cohort-parameters cohort)
            (iota (length (%cohort-parameters cohort)))))
     (%group-cohorts group)))))

(define (%like-tensor tensor x)
  "The tensor with the device and dtype of x."
  (tensor-to tensor (tensor-device x) (tensor-dtype x)))

(define (%regrouped entries)
  "The cohorts of parameters and their state: (parameter steps tensor ...)
  each."
  (map (lambda (equals)
         (%make-cohort (map car equals)
                       (apply map list (map cddr equals))
                       (cadar equals)
                       '()
                       'unknown))
       (%by-key (lambda (entry)
                  (list (tensor-device (car entry)) (tensor-dtype (car entry))
                        (cadr entry) (length (cddr entry))))
                entries)))

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
