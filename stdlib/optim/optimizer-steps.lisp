;; optimizer-steps.lisp - steps of an optimizer, cohort by cohort.
;;
;; A cohort splits when only some of its parameters have a gradient, or when
;; the gradients lie in memory in different ways; the parts are stepped by
;; themselves from then on.

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
         (algorithm (%optimizer-algorithm optimizer))
         (sharding (%optimizer-sharding optimizer)))
    (unless (no-grad
             (if sharding
                 (%step-sharded! sharding algorithm groups)
                 (%step-groups! algorithm groups #f)))
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
  (cond ((memq #f gradients)
         (and (any tensor? gradients)
              (%step-parts! algorithm group cohort gradients
                            (map tensor? gradients))))
        ((eq? (%cohort-layout cohort) 'unknown)
         (let* ((layouts (map %layout-of (%cohort-parameters cohort)
                              gradients))
                (alike (map (lambda (x) (eq? x (car layouts))) layouts)))
           (cond ((memq #f alike)
                  (%step-parts! algorithm group cohort gradients alike))
                 (else
                  (set-%cohort-layout! cohort (car layouts))
                  (%step-cohort! algorithm group cohort gradients)))))
        (else
         (%take-step! algorithm (%group-options group) cohort gradients)
         #t)))

(define (%layout-of x gradient)
  "How the gradient of a parameter x lies in memory: dense if its elements have
  the order of those of x, without gaps; strided if not; or sparse, or complex."
  (cond ((tensor-is-sparse gradient) 'sparse)
        ((tensor-is-complex x) 'complex)
        ((equal? (tensor-stride x) (tensor-stride gradient)) 'dense)
        (else 'strided)))

(define (%step-parts! algorithm group cohort gradients marks)
  "Split a cohort by a list of booleans, and step both parts."
  (let* ((others (map not marks))
         (first (%cohort-part cohort marks))
         (second (%cohort-part cohort others)))
    (set-%group-cohorts! group
                         (append-map (lambda (each)
                                       (if (eq? each cohort)
                                           (list first second)
                                           (list each)))
                                     (%group-cohorts group)))
    (%step-cohort! algorithm group first (%where marks gradients))
    (%step-cohort! algorithm group second (%where others gradients))
    #t))

(define (%cohort-part cohort marks)
  "The cohort of the parameters that have a true mark."
  (%make-cohort (%where marks (%cohort-parameters cohort))
                (map (lambda (tensors) (%where marks tensors))
                     (%cohort-state cohort))
                (%cohort-steps cohort)
                '()
                (%cohort-layout cohort)))

(define (%where marks items)
  "The items that have a true mark."
  (cond ((null? items) '())
        ((car marks) (cons (car items) (%where (cdr marks) (cdr items))))
        (else (%where (cdr marks) (cdr items)))))

(define (%take-step! algorithm options cohort gradients)
  "Step a cohort, all of whose parameters have gradients."
  (case (%cohort-layout cohort)
    ((dense)
     (%update! algorithm (%algorithm-update! algorithm) options cohort
               gradients))
    ((sparse)
     (%check-sparse algorithm (car gradients))
     (%update! algorithm (%algorithm-sparse-update! algorithm) options cohort
               gradients))
    ((complex) (%take-complex-step! algorithm options cohort gradients))
    (else (%take-strided-step! algorithm options cohort gradients))))

(define (%update! algorithm update! options cohort gradients)
  "Count a step of a cohort, and take it."
  (set-%cohort-steps! cohort (+ (%cohort-steps cohort) 1))
  (when (null? (%cohort-state cohort))
    (set-%cohort-state! cohort (%new-state algorithm options cohort)))
  (update! options cohort gradients))

(define (%take-strided-step! algorithm options cohort gradients)
  "Step contiguous copies of the parameters: operators walk over the memory of
  all lists together."
  (let* ((parameters (%cohort-parameters cohort))
         (work (%make-cohort (map tensor-contiguous parameters)
                             (%cohort-state cohort) (%cohort-steps cohort)
                             (%cohort-counters cohort) 'dense)))
    (%update! algorithm (%algorithm-update! algorithm) options work
              (map tensor-contiguous gradients))
    (for-each tensor-copy! parameters (%cohort-parameters work))
    (set-%cohort-state! cohort (%cohort-state work))
    (%count-as! cohort work)))

(define (%take-complex-step! algorithm options cohort gradients)
  "Step complex parameters as pairs of real numbers, which share their memory."
  (when (null? (%cohort-state cohort))
    (set-%cohort-state! cohort (%new-state algorithm options cohort)))
  (let ((work (%make-cohort (map tensor-view-as-real
                                 (%cohort-parameters cohort))
                            (map (lambda (tensors)
                                   (map tensor-view-as-real tensors))
                                 (%cohort-state cohort))
                            (%cohort-steps cohort)
                            (%cohort-counters cohort) 'dense)))
    (%update! algorithm (%algorithm-update! algorithm) options work
              (map (lambda (g) (tensor-view-as-real (tensor-resolve-conj g)))
                   gradients))
    (%count-as! cohort work)))

(define (%count-as! cohort work)
  "Take over the steps of a cohort that worked for this one."
  (set-%cohort-counters! cohort (%cohort-counters work))
  (set-%cohort-steps! cohort (%cohort-steps work)))

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
