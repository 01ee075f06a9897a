; fit: epochs, validation, callbacks, checkpoints, resuming, early stopping; checks of nan.
(define base (string "/tmp/lambent-fit-" (random 1000000000)))
(manual-seed 0)
(define xs (tensor-randn 80 4))
(define ys (tensor-to (tensor-gt (tensor-sum (* xs xs) 1) 4.0) 'int64))
(define (net) (sequential (linear 4 16) (relu) (linear 16 2)))
(define (go epochs . options)
  (manual-seed 1)
  (let ((m (net)))
    (apply fit m (data-loader (tensor-dataset xs ys) :batch-size 8 :shuffle #t)
           :optimizer (adamw (parameters m) :lr 0.01) :loss cross-entropy :epochs epochs :progress #f
           :validate (data-loader (tensor-dataset xs ys) :batch-size 32) :metrics (list (cons "accuracy" accuracy)) options)))
(define (columns history)
  (map (lambda (name) (history-column history name)) '("epoch" "step" "loss" "validation-loss" "accuracy" "lr")))

(define whole (go 3))
(print (map (lambda (row) (map car row)) (take (history-rows whole) 1)))
; => ((epoch step loss validation-loss accuracy lr seconds))
(print (take (columns whole) 2) (history? whole) (apply > (history-column whole "loss"))) ; => ((1 2 3) (10 20 30)) #t #t
(print (apply < (history-column whole "accuracy"))) ; => #t

; The same by hand: fit does nothing else.
(manual-seed 1)
(define m (net))
(define loader (data-loader (tensor-dataset xs ys) :batch-size 8 :shuffle #t))
(define opt (adamw (parameters m) :lr 0.01))
(define losses '())
(dotimes (epoch 3)
  (let ((mean (running-mean)))
    (do-batches ((x y) loader)
      (let ((loss (cross-entropy (m x) y)))
        (backward loss)
        (optimizer-step opt)
        (zero-grad opt)
        (running-mean-add! mean loss :count 8)))
    (set! losses (cons (running-mean-value mean) losses))))
(print (equal? (reverse losses) (history-column whole "loss"))) ; => #t

; Interrupted after an epoch, and inside one; the resumed run is equal.
(define (clean!) (for-each delete-file (checkpoint-paths base)))
(go 2 :checkpoint base)
(print (equal? (columns whole) (columns (go 3 :checkpoint base :resume #t)))) ; => #t
(print (equal? (columns whole) (columns (go 3 :checkpoint base :resume #t)))) ; => #t
(clean!)
(define (fail-at step)
  (callback :batch (lambda (run) (when (= (fit-step run) step) (error "interrupted at" (fit-step run))))))
(guard (e (#t (print (error-object-message e) (error-object-irritants e)))) ; => interrupted at (17)
  (go 3 :checkpoint base :checkpoint-every 4 :callbacks (list (fail-at 17))))
(print (cdr (assoc "step" (load-checkpoint! base)))) ; => 16
(define (in-two-batches . options) (apply go 3 :accumulate 2 :clip-norm 0.5 :detect-nan #t options))
(print (equal? (columns whole) (columns (go 3 :checkpoint base :resume #t)))) ; => #t
(clean!)
(define accumulated (in-two-batches))
(guard (e (#t 'interrupted)) (in-two-batches :checkpoint base :checkpoint-every 1 :callbacks (list (fail-at 8))))
(define again (in-two-batches :checkpoint base :resume #t))
(print (history-column again "step") (equal? (columns accumulated) (columns again))) ; => (5 10 15) #t
(clean!)

; A log has the same rows; a resumed run replaces those of epochs that it repeats.
(define rows-file (string base ".csv"))
(define (logged) (map (lambda (row) (filter (lambda (e) (not (equal? (car e) "seconds"))) row)) (read-log rows-file)))
(go 3 :log rows-file)
(define rows (logged))
(print (equal? (log-column rows "loss") (history-column whole "loss"))) ; => #t
(go 2 :log rows-file :checkpoint base)
(define by-hand (training-log rows-file))
(log-write! by-hand '(("epoch" . 3) ("loss" . 0)))
(log-close! by-hand)
(go 3 :log rows-file :checkpoint base :resume #t)
(print (equal? rows (logged)))                   ; => #t
(delete-file rows-file)
(clean!)

; Callbacks; early stopping, also when it is resumed.
(define seen '())
(define (note x) (set! seen (cons x seen)))
(go 1 :callbacks (list (callback :start (lambda (run) (note 'start)) :epoch (lambda (run) (note (fit-metric run "step")))
                                 :end (lambda (run) (note (list (fit-epoch run) (eq? (fit-model run) (fit-model run))))))
                       (lambda (run) (note (fit-metric run "none")))
                       (callback :batch (lambda (run) (when (= (fit-step run) 4) (fit-stop! run))))))
(print (reverse seen))                           ; => (start 4 #f (1 #t))
(define (stopping) (list (early-stopping :patience 2 :metric "accuracy" :larger #t :min-change 1)))
(print (length (history-rows (go 9 :callbacks (stopping))))) ; => 3
(go 2 :callbacks (stopping) :checkpoint base)
(print (length (history-rows (go 9 :callbacks (stopping) :checkpoint base :resume #t)))) ; => 3
(print (length (history-rows (go 9 :callbacks (stopping) :checkpoint base :resume #t)))) ; => 3
(clean!)

; A schedule, an average, several inputs, a loss of the program's own.
(define-module (both)
  ((inside (linear 8 2)))
  (forward (a b) (inside (tensor-cat (list a b) 1))))
(define b (both))
(define o (sgd (parameters b) :lr 0.1))
(define average (ema (parameters b) :decay 0.5))
(define h
  (fit b (data-loader (tensor-dataset xs xs ys) :batch-size 40) :optimizer o :loss cross-entropy :epochs 2 :progress #f
       :schedule (step-schedule o :step-size 1 :gamma 0.5) :schedule-each 'epoch :ema average
       :validate (tensor-dataset xs xs ys) :metrics (list (cons 'accuracy accuracy))))
(print (history-column h 'lr) (learning-rate o)) ; => (0.1 0.05) 0.025
(define plateau (plateau-schedule o :patience 0 :factor 0.1 :threshold 100.0))
(fit b (tensor-dataset xs) :optimizer o :batch-loss (lambda (x) (tensor-mean (tensor-square (b x x)))) :epochs 3 :progress #f
     :schedule plateau :schedule-each 'epoch)
(print (< (learning-rate o) 0.003))              ; => #t

; A table of the rows.
(define (fixed row) (map (lambda (e) (if (equal? (car e) "seconds") (cons "seconds" 1.5) e)) row))
(define-module (constant) ((w (tensor 2.0) :parameter)) (forward (x) (* w x)))
(define c (constant))
(define k (fit c (list [1.0] [2.0]) :optimizer (sgd (parameters c) :lr 0.5) :loss (lambda (y x) (tensor-mean y)) :epochs 1 :progress #f))
(print (history-column k "loss"))                ; => (3.0)
(define table (call-with-output-string (lambda (port) (show-history k port))))
(print (map (lambda (line) (substring line 0 17)) (take (string-split table "\n") 2))) ; => (epoch  step  loss     1     1   3.0)

; Its columns as curves.
(define drawn (call-with-output-string
               (lambda (port) (parameterize ((current-output-port port)) (plot-history whole)))))
(print (map (lambda (part) (if (string-contains drawn part) #t #f)) '("loss" "validation-loss" "epoch" "accuracy")))
; => (#t #t #t #f)
(define picture (string base ".svg"))
(plot-history whole :names '("accuracy") :file picture)
(print (if (string-contains (call-with-input-file picture port->string) "accuracy") #t #f)) ; => #t
(delete-file picture)

; What is not finite: the batch, a module, a parameter, a gradient.
(define-module (root) () (forward (x) (sqrt x)))
(define-module (deep) ((a (linear 4 4)) (inner (list (linear 4 4) (root)))) (forward (x) ((cadr inner) ((car inner) (a x)))))
(define d (deep))
(define (fails model x . options)
  (guard (e (#t (print (error-object-message e))))
    (apply fit model (data-loader (tensor-dataset x) :batch-size 80) :optimizer (sgd (parameters model) :lr 0.1)
           :loss (lambda (y x) (tensor-mean y)) :progress #f :detect-nan #t options)))
(fails d xs) ; => fit: the loss is +nan.0: the result (80 4) of the module "inner.1", a root, for (80 4) is not finite
(print (module-at d "inner.1"))                  ; => #<root>
(fails c (/ xs 0.0)) ; => fit: the loss is +nan.0: part 0 of the batch, (80 4), has elements that are not finite
(fails c xs :batch-loss (lambda (x) (tensor-sqrt (tensor-sum (* 0 (c x)))))) ; => fit: the loss is finite, but not the gradient of "w" ()
(fails c xs :batch-loss (lambda (x) (log (* 0 (tensor-sum (c x)))))) ; => fit: the loss is -inf.0
(tensor-set! (detach (linear-bias (deep-a d))) 0 +inf.0)
(fails d xs) ; => fit: the loss is +nan.0: the parameter "a.bias" (4) has elements that are not finite

; Wrong use.
(define (wrong . arguments) (guard (e (#t (print (error-object-message e)))) (apply fit arguments)))
(wrong 5 xs)                                     ; => fit: the model is not a module or a procedure
(wrong c xs)                                     ; => fit: it needs an optimizer
(wrong c xs :optimizer o)                        ; => fit: it needs a loss
(wrong c xs :optimizer o :loss mse-loss :epochs 0) ; => fit: expected a number from 1 as epochs, got 0
(wrong c xs :optimizer o :loss mse-loss :resume #t) ; => fit: :resume needs a checkpoint
(wrong c xs :optimizer o :loss mse-loss :callbacks '(5)) ; => fit: expected a procedure or a callback, got 5
(wrong c xs :optimizer o :loss mse-loss :callbacks 5) ; => fit: expected a list of callbacks, got 5
(wrong c xs :optimizer o :loss mse-loss :metrics accuracy) ; => fit: expected a list of metrics, got a procedure
(wrong c xs :optimizer o :loss mse-loss :metrics '(3)) ; => fit: expected a pair of a name and a procedure as a metric, got 3
(wrong c xs :optimizer o :loss mse-loss :schedule 3) ; => fit: expected a schedule, got 3
(wrong c xs :optimizer o :loss mse-loss :checkpoint-every 5) ; => fit: :checkpoint-every needs a checkpoint
(guard (e (#t (print (error-object-message e)))) (history-column k "lose")) ; => history-column: no column "lose"; there are

; Arguments of the wrong type.
(define-syntax refused
  (syntax-rules ()
    ((_ form) (print (guard (e (#t (error-object-message e))) form)))))
(refused (fit b xs :optimizer adam :loss mse-loss))  ; => fit: expected an optimizer, got #<procedure adam>
(refused (fit b xs :loss mse-loss))                  ; => fit: it needs an optimizer
(refused (fit b xs :optimizer o :loss "mse"))        ; => fit: expected a procedure as the loss, got mse
(refused (fit b xs :optimizer o))                    ; => fit: it needs a loss
