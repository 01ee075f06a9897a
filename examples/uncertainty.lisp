;; uncertainty.lisp - regression that knows what it does not know.
;;
;;   lambent examples/uncertainty.lisp
;;
;; The data are noisy, and the noise grows from left to right.  For each x the
;; network predicts a mean and a variance; the loss is the likelihood of the
;; data, so the variance comes to be that of the noise.

(set-num-threads 1)
(manual-seed 3)

(define (two-decimals x) (/ (round (* 100 x)) 100))

(define (truth x) (sin (* 3 x)))
(define (noise x) (+ 0.05 (* 0.3 x)))                 ; its standard deviation

(define xs (tensor-rand 512 1))
(define ys (+ (truth xs) (* (noise xs) (tensor-randn 512 1))))

(define model (sequential (linear 1 32) tanh (linear 32 32) tanh
                          (linear 32 2)))

(define (predict x)
  "The means and the variances.  x [n, 1] -> two of [n, 1]."
  (let-list (((mean raw) (tensor-chunk (model x) 2 1)))
    (values mean (+ 1e-4 (tensor-softplus raw)))))

(define (negative-log-likelihood x y)
  (receive (mean variance) (predict x)
    (gaussian-nll-loss mean y variance)))

(define optimizer (adam (parameters model) :lr 0.01))
(define schedule (cosine-schedule optimizer :steps 400))

(do ((step 1 (+ step 1)))
    ((> step 400))
  (let ((loss (negative-log-likelihood xs ys)))
    (backward loss)
    (optimizer-step optimizer)
    (zero-grad optimizer)
    (schedule-step! schedule)
    (when (= 0 (remainder step 100))
      (print "step" step "loss" (two-decimals (tensor-item loss))))))

(print "  x    predicted       true")
(for-each
 (lambda (x)
   (receive (mean variance) (no-grad (predict (tensor (list (list x)))))
     (print x
            (two-decimals (tensor-item mean)) "+-"
            (two-decimals (sqrt (tensor-item variance))) "   "
            (two-decimals (truth x)) "+-" (two-decimals (noise x)))))
 '(0.1 0.3 0.5 0.7 0.9))
