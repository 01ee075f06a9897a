;; denoise.lisp - the steps of samplers.

(define (denoise sampler predict noise :done #f)
  "The sample that a model sees in noise, which is normally distributed with
  deviation 1.

  predict: a procedure of a sample and a time that returns what the model says of
  its noise.  done: a procedure of the number of steps that are done and of the
  sample, called after each step, or #f.

  (denoise (load-sampler \"sd/scheduler\" 50) (lambda (x t) ...) (tensor-randn 1 4
  64 64))"
  (unless (sampler? sampler)
    (wrong-type "denoise" "a sampler, such as load-sampler returns" sampler))
  (unless (and (tensor? noise) (tensor-is-floating-point noise))
    (wrong-type "denoise" "a floating-point tensor as the noise" noise))
  (no-grad
    (let loop ((x (* noise (%first-scale sampler)))
               (times (sampler-times sampler)) (k 0) (before #f))
      (if (null? times)
          x
          (let* ((said (predict (%model-input sampler x k) (car times)))
                 (clean (%clean-sample sampler x said k (car times)))
                 (next (%next-sample sampler x clean before k (car times))))
            (when done (done (+ k 1) next))
            (loop next (cdr times) (+ k 1) clean))))))

(define (add-noise sampler x noise time)
  "A clean sample with noise as at a time of training, an integer from 0 up: what
  models learn to clean."
  (unless (sampler? sampler)
    (wrong-type "add-noise" "a sampler, such as load-sampler returns" sampler))
  (unless (and (exact-integer? time)
               (< -1 time (vector-length (sampler-shares sampler))))
    (wrong-type "add-noise" "a time of training" time))
  (let ((share (vector-ref (sampler-shares sampler) time)))
    (+ (* x (sqrt share)) (* noise (sqrt (- 1 share))))))

(define (%first-scale sampler)
  "What noise of deviation 1 is multiplied with."
  (let ((most (vector-ref (sampler-sigmas sampler) 0)))
    (cond ((not (eq? (sampler-kind sampler) 'euler)) 1.0)
          ((equal? (config-ref (sampler-config sampler) "timestep_spacing"
                               "linspace")
                   "leading")
           (sqrt (+ (square most) 1)))
          (else most))))

(define (%model-input sampler x k)
  "The sample as the model has learned to see it: with the same deviation at all
  times."
  (if (eq? (sampler-kind sampler) 'euler)
      (/ x (sqrt (+ 1 (square (vector-ref (sampler-sigmas sampler) k)))))
      x))

(define (%clean-sample sampler x said k time)
  "The clean sample that follows from what a model says of x."
  (let* ((config (sampler-config sampler))
         (euler? (eq? (sampler-kind sampler) 'euler))
         (sigma (vector-ref (sampler-sigmas sampler) k))
         (share (if (eq? (sampler-kind sampler) 'ddim)
                    (vector-ref (sampler-shares sampler) time)
                    (/ 1 (+ 1 (square sigma)))))
         (kind (config-ref config "prediction_type" "epsilon")))
    (cond ((equal? kind "sample") said)
          ((equal? kind "epsilon")
           (if euler?
               (- x (* said sigma))
               (/ (- x (* said (sqrt (- 1 share)))) (sqrt share))))
          (euler? (- (* x share) (* said (* sigma (sqrt share)))))
          (else (- (* x (sqrt share)) (* said (sqrt (- 1 share))))))))

(define (%next-sample sampler x clean before k time)
  "The sample after step k.  before: the clean sample of the step before, or #f."
  (case (sampler-kind sampler)
    ((ddim) (%ddim-step sampler x clean time))
    ((euler)
     (let ((sigma (vector-ref (sampler-sigmas sampler) k))
           (next (vector-ref (sampler-sigmas sampler) (+ k 1))))
       (+ x (* (- x clean) (/ (- next sigma) sigma)))))
    (else (%dpm-step sampler x clean before k))))

(define (%ddim-step sampler x clean time)
  "Equation 12 of DDIM without new noise.  The noise is that of the clean sample
  before it is clipped."
  (let* ((config (sampler-config sampler))
         (shares (sampler-shares sampler))
         (next (- time (quotient (vector-length shares)
                                 (length (sampler-times sampler)))))
         (share (vector-ref shares time))
         (to (cond ((>= next 0) (vector-ref shares next))
                   ((%config-flag config "set_alpha_to_one" #t) 1.0)
                   (else (vector-ref shares 0))))
         (noise (/ (- x (* clean (sqrt share))) (sqrt (- 1 share))))
         (most (and (%config-flag config "clip_sample" #t)
                    (%config-number config "clip_sample_range" 1.0)))
         (clean (if most (tensor-clamp clean (- most) most) clean)))
    (+ (* clean (sqrt to)) (* noise (sqrt (- 1 to))))))

(define (%dpm-step sampler x clean before k)
  "A step of DPM-Solver++, of the second order where there is a step before and
  it is not the last of few."
  (let* ((config (sampler-config sampler))
         (sigmas (sampler-sigmas sampler))
         (steps (length (sampler-times sampler)))
         (zero? (= (vector-ref sigmas steps) 0))
         (last? (and (= k (- steps 1))
                     (or zero? (and (< steps 15)
                                    (%config-flag config "lower_order_final"
                                                  #t)))))
         (from (vector-ref sigmas k))
         (to (vector-ref sigmas (+ k 1)))
         (alpha (/ 1 (sqrt (+ 1 (square to)))))
         (from-alpha (/ 1 (sqrt (+ 1 (square from)))))
         (ratio (/ to from))                        ; e^-h
         (first (+ (* x (/ (* to alpha) (* from from-alpha)))
                   (* clean (* alpha (- 1 ratio))))))
    (if (or (not before) last? (= from to)     ; Karras' last sigma may be the end
            (= (config-ref config "solver_order" 2) 1))
        first
        (let* ((h (log (/ from to)))
               (h0 (log (/ (vector-ref sigmas (- k 1)) from)))
               (change (* (- clean before) (/ h h0)))
               (heun? (equal? (config-ref config "solver_type" "midpoint")
                              "heun"))
               (weight (if heun?
                           (+ (/ (- ratio 1) h) 1)
                           (* 0.5 (- 1 ratio)))))
          (+ first (* change (* alpha weight)))))))
