; Optimizers, schedules and averages as records; what wrong use says.
(define w (requires-grad! [1.0 2.0]))
(define b (requires-grad! [[3.0]]))
(define (step! opt . others)
  (backward (tensor-sum (square w)))
  (for-each (lambda (x) (backward (tensor-sum (square x)))) others)
  (optimizer-step opt)
  (zero-grad opt))
(define opt (adam (list (parameter-group (list w) :lr 0.5) (parameter-group (list b) :betas '(0.5 0.6))) :lr 1/4))
(print opt (parameter-group (list w) :lr 0.5)) ; => #<optimizer kind: adam parameters: 3 lr: (0.5 0.25)> #<parameter-group parameters: 2 options: ((lr . 0.5))>
(step! opt)
(print w b (tensor-grad w)) ; => [0.5 1.5] [[3.0]] #f
(print (hyperparameter opt 'betas :group 1) (learning-rate opt) (learning-rates opt)) ; => (0.5 0.6) 0.5 (0.5 0.25)
(set-learning-rate! opt 0.1)
(set-hyperparameter! opt 'eps 1e-3 :group 1)
(print opt (hyperparameter opt 'eps) (hyperparameter opt 'eps :group 1)) ; => #<optimizer kind: adam parameters: 3 lr: (0.1 0.1)> 1e-8 0.001
(set-learning-rate! opt '(0.2 0.3))
(print (learning-rates opt)) ; => (0.2 0.3)
; A parameter that has gradients in some steps only counts its own steps.
(step! opt b)
(step! opt)
(define (steps opt)
  (map (lambda (entry) (tensor-item (cdr (assoc "step" (cdr entry)))))
       (cdr (assoc "state" (optimizer-state opt)))))
(print (steps opt)) ; => (3.0 1.0)
(define c (requires-grad! [7.0]))
(add-parameter-group! opt (parameter-group (list c) :lr 0.5))
(step! opt c)
(print opt c (steps opt)) ; => #<optimizer kind: adam parameters: 4 lr: (0.2 0.3 0.5)> [6.5] (4.0 1.0 1.0)
; The current optimizer.
(define (round-trip) (zero-grad) (backward (tensor-sum b)) (optimizer-step))
(define plain (sgd (list b) :lr 1))
(set! b b)
(print (begin (no-grad (tensor-fill! b 3)) (with-optimizer plain (round-trip) (tensor-item b)))) ; => 2.0
; An algorithm of the program.
(define (sign-descent parameters :lr 0.01)
  (make-optimizer 'sign-descent parameters `((lr . ,lr)) '("last")
                  (lambda (options step parameters gradients last)
                    (print 'step step last)
                    (for-each (lambda (p g kept)
                                (tensor-copy! kept g)
                                (tensor-sub! p (* (cdr (assq 'lr options)) (tensor-sign g))))
                              parameters gradients last))))
(no-grad (tensor-copy! w [1.0 -2.0]))
(define own (sign-descent (list w) :lr 0.5))
(step! own) ; => step 1 ([0.0 0.0])
(step! own) ; => step 2 ([2.0 -4.0])
(print own w (cdr (assoc "last" (cdadr (assoc "state" (optimizer-state own)))))) ; => #<optimizer kind: sign-descent parameters: 2 lr: 0.5> [0.0 -1.0] [1.0 -3.0]
; A snapshot does not change with the optimizer.
(define half (adagrad (list w)))
(step! half)
(define snapshot (optimizer-state half))
(step! half)
(print (tensor-item (cdr (assoc "step" (cdadr (assoc "state" snapshot)))))) ; => 1.0
(load-optimizer-state! half snapshot)
(step! half)
(print (steps half)) ; => (2.0)
; The state follows parameters that move.
(define line (linear 2 1))
(define fit-line (adam (parameters line)))
(define (fit! x)
  (backward (tensor-sum (line x)))
  (optimizer-step fit-line)
  (zero-grad fit-line))
(fit! [[1.0 2.0]])
(to! line 'float64)
(fit! (tensor [[1.0 2.0]] :dtype 'float64))
(print (steps fit-line) (tensor-dtype (cdr (assoc "exp_avg" (cdadr (assoc "state" (optimizer-state fit-line))))))) ; => (2.0 2.0) float64
; Schedules print their step, and change all groups.
(define s (step-schedule opt :step-size 2))
(schedule-step! s)
(schedule-step! s)
(print s (map (lambda (lr) (/ (round (* 1000 lr)) 1000)) (learning-rates opt))) ; => #<schedule kind: step step: 2> (0.02 0.03 0.05)
; Averages are swapped back after an error.
(define e (ema (list w) :decay 0.5))
(no-grad (tensor-copy! w [4.0 4.0]))
(print (guard (x (#t (error-object-message x))) (with-ema e (error (string w))))) ; => [0.0 -0.976]
(print w e) ; => [4.0 4.0] #<ema decay: 0.5 updates: 0>

; Wrong use.
(define-syntax said
  (syntax-rules ()
    ((_ form) (print (guard (x (#t (string-join (cons (error-object-message x)
                                                      (map (lambda (y) (string y)) (error-object-irritants x)))
                                                " ")))
                       form)))))
(said (rmsprop (list (* 2 w)))) ; => rmsprop: parameter 0, of shape (2), is computed from others, so it is not a leaf
(said (adagrad (list))) ; => adagrad: there are no parameters
(said (adam w)) ; => adam: expected a list of parameters, got (2)
(said (adam '(1 2))) ; => adam: expected a list of tensors, got 1
(said (sgd (list (parameter-group (list w) :betas '(0.9 0.99))))) ; => sgd: unknown hyperparameter betas in a parameter group
(said (parameter-group (list w) 'lr 0.1)) ; => parameter-group: expected a keyword after the parameters, got lr
(said (parameter-group (list w) :lr)) ; => parameter-group: no value after :lr
(said (adam (list w) :momentum 0.9)) ; => adam: unknown keyword :momentum
(said (adam (list w) :betas '(0.9 1))) ; => adam: expected a list of two numbers from 0 to below 1 for :betas, got (0.9 1)
(said (lion (list w) :lr "fast")) ; => lion: expected a number of at least 0 for :lr, got "fast"
(said (sgd (list w) :weight-decay -1)) ; => sgd: expected a number of at least 0 for :weight-decay, got -1
(said (sgd (list w) :nesterov #t)) ; => sgd: :nesterov #t needs a :momentum above 0 and :dampening 0, got 0.0 0.0
(said (set-learning-rate! opt -0.1)) ; => set-learning-rate!: expected a number of at least 0 for :lr, got -0.1
(said (set-learning-rate! opt '(0.1))) ; => set-learning-rate!: expected a number or a list of 3, one for each group, got (0.1)
(said (set-hyperparameter! opt 'amsgrad #t)) ; => set-hyperparameter!: cannot change amsgrad to #t
(said (hyperparameter opt 'momentum)) ; => hyperparameter: adam has no hyperparameter momentum
(said (hyperparameter opt 'lr :group 3)) ; => hyperparameter: the index is out of range for 3 groups: 3
(said (add-parameter-group! opt (list c))) ; => add-parameter-group!: parameter 2, of shape (1), is given again as parameter 3
(said (optimizer-step)) ; => optimizer-step: there is no current optimizer
(said (zero-grad w)) ; => zero-grad: expected an optimizer, got a tensor float32 (2)
(said (load-optimizer-state! plain (optimizer-state opt))) ; => load-optimizer-state!: the state has 3 groups, the optimizer has 1
(said (load-optimizer-state! (adamw (list w)) (optimizer-state (adam (list w))))) ; => load-optimizer-state!: the state is one of adam, the optimizer is adamw
(said (load-optimizer-state! (adagrad (list b)) snapshot)) ; => load-optimizer-state!: sum of parameter 0 has shape (2), the parameter has (1 1)
(said (load-optimizer-state! opt '())) ; => load-optimizer-state!: the state has no param_groups
(said (cosine-schedule opt)) ; => cosine-schedule: expected a number of steps for :steps, got #f
(said (cosine-schedule w :steps 3)) ; => cosine-schedule: expected an optimizer, got a tensor float32 (2)
(said (one-cycle-schedule (adagrad (list w)) :max-lr 1 :steps 4)) ; => one-cycle-schedule: adagrad has no momentum to cycle
(said (schedule-step! (plateau-schedule opt))) ; => schedule-step!: a plateau-schedule needs a metric
(said (schedule-step! s 1.0)) ; => schedule-step!: expected no metric, got 1.0
(said (schedule-step! (step-schedule plain :step-size 2) 1 2)) ; => schedule-step!: expected no metric, got 1
(said (chained-schedule s (step-schedule plain :step-size 2))) ; => chained-schedule: the schedules are of different optimizers: #<optimizer kind: adam parameters: 4 lr: (0.020000000000000004 0.03 0.05)> #<optimizer kind: sgd parameters: 1 lr: 1.0>
(said (sequential-schedule (list s s))) ; => sequential-schedule: expected one milestone less than the 2 schedules, got 0
(said (load-schedule-state! s (schedule-state (constant-schedule plain)))) ; => load-schedule-state!: the state is one of a constant-schedule, the schedule is step
(said (clip-grad-norm! w -1)) ; => clip-grad-norm!: expected a number of at least 0 as the largest norm, got -1
(backward (tensor-sum (sqrt (- w 4))))
(said (clip-grad-norm! (list w) 1.0 :error-if-nonfinite #t)) ; => clip-grad-norm!: the norm of the gradients is +inf.0
(said (accumulate-gradients tensor-sum '(1 2) '(1))) ; => accumulate-gradients: the lists of parts have different lengths: (2 1)
(said (ema (list w) :decay 1)) ; => ema: expected a number from 0 to below 1 for :decay, got 1
(said (load-ema-state! (ema (list b)) (ema-state e))) ; => load-ema-state!: the state has averages of shapes ((2)), the parameters have ((1 1))
; The fused kernels walk over memory, so they would mix up elements.
(said (tensor-private--fused-sgd! (list (tensor-ones 2 3)) (list (tensor-t (tensor-ones 3 2))) '() :weight-decay 0 :momentum 0 :lr 1 :dampening 0 :nesterov #f :maximize #f :is-first-step #f)) ; => tensor-private--fused-sgd!: expected tensors without gaps, whose elements lie in the same order; given self (float32 (2 3)), grads (float32 (2 3)), momentum-buffer-list (), weight-decay 0, momentum 0, lr 1, dampening 0, nesterov #f, ...
