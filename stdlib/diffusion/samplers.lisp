;; samplers.lisp - how diffusion models remove noise step by step: DDIM (Song et
;; al. 2021), Euler's method (Karras et al. 2022) and DPM-Solver++ (Lu et al.
;; 2022), with the settings of diffusers' schedulers.
;;
;; In training, a sample x at time t is sqrt(a) x + sqrt(1 - a) noise, where a is
;; the share at t.  sigma = sqrt((1 - a) / a) says the same for x as it is.

(define-record-type sampler
  (%make-sampler kind config shares times sigmas)
  sampler?
  (kind sampler-kind)              ; ddim, euler or dpm
  (config sampler-config)          ; a table of settings
  (shares sampler-shares)          ; a vector, by training time
  (times sampler-times)            ; a list: when the model is asked
  (sigmas sampler-sigmas))         ; a vector: at those times, then at the end

(define (new-sampler settings steps)
  "What removes noise in so many steps.  settings: a hash table or an alist as in
  scheduler_config.json, whose \"_class_name\" is DDIMScheduler,
  EulerDiscreteScheduler or DPMSolverMultistepScheduler (DPM-Solver++ of order 1
  or 2); what they leave open is as in diffusers.  denoise applies it."
  (let ((config (cond ((hash-table? settings) settings)
                      ((and (list? settings) (every pair? settings))
                       (%table-of settings))
                      (else (wrong-type "new-sampler"
                                        "a hash table or an alist" settings)))))
    (unless (and (exact-integer? steps) (> steps 0))
      (wrong-type "new-sampler" "a positive integer as the steps" steps))
    (parameterize ((%settings-source (or (%settings-source) "new-sampler")))
      (%refuse-settings config %sampler-settings)
      (let* ((kind (%sampler-kind config))
             (shares (%noise-shares config))
             (all (vector-length shares))
             (times (begin
                      (when (> steps all)
                        (%settings-error
                         (format "~a steps are more than the ~a of training"
                                 steps all)))
                      (%sampling-times kind config steps all)))
             (sampler (%make-sampler kind config shares times
                                     (%sampling-sigmas config shares times))))
        (if (%config-flag config "use_karras_sigmas" #f)
            (%karras-sampler sampler steps)
            sampler)))))

(define (load-sampler folder steps)
  "The sampler of a folder with scheduler_config.json, for so many steps."
  (%check-string "load-sampler" folder)
  (let ((path (%beside folder "scheduler_config.json")))
    (parameterize ((%settings-source (format "load-sampler: ~s" path)))
      (new-sampler (read-json path) steps))))

;; Settings of which only one value is supported.
(define %sampler-settings
  '(("thresholding" #f) ("rescale_betas_zero_snr" #f) ("trained_betas")
    ("use_karras_sigmas" #f #t) ("use_exponential_sigmas" #f)
    ("use_beta_sigmas" #f) ("sigma_min") ("sigma_max") ("use_lu_lambdas" #f) ("use_flow_sigmas" #f)
    ("euler_at_final" #f) ("algorithm_type" "dpmsolver++")
    ("solver_order" 1 2) ("solver_type" "midpoint" "heun")
    ("interpolation_type" "linear") ("timestep_type" "discrete")
    ("prediction_type" "epsilon" "sample" "v_prediction")
    ("variance_type" "fixed_small")
    ("final_sigmas_type" "zero" "sigma_min")))

(define (%sampler-kind config)
  "The kind that the class of the settings is."
  (let* ((name (%config-name config "_class_name" "DDIMScheduler"))
         (found (assoc name '(("DDIMScheduler" . ddim)
                              ("EulerDiscreteScheduler" . euler)
                              ("DPMSolverMultistepScheduler" . dpm)))))
    (unless found
      (%bad-setting "_class_name" "DDIMScheduler, EulerDiscreteScheduler or \
DPMSolverMultistepScheduler" name))
    (cdr found)))

(define (%noise-shares config)
  "The shares by training time: a vector of the products of 1 - beta."
  (let* ((count (%config-size config "num_train_timesteps" 1000))
         (start (%config-number config "beta_start" 0.0001))
         (end (%config-number config "beta_end" 0.02))
         (name (%config-name config "beta_schedule" "linear"))
         (betas (cond ((equal? name "linear")
                       (tensor-linspace start end count))
                      ((equal? name "scaled_linear")
                       (tensor-square
                        (tensor-linspace (sqrt start) (sqrt end) count)))
                      ((equal? name "squaredcos_cap_v2")
                       (%cosine-betas count))
                      (else (%bad-setting "beta_schedule" "linear, \
scaled_linear or squaredcos_cap_v2" name)))))
    (list->vector (tensor->list (tensor-cumprod (- 1.0 betas) 0)))))

(define (%cosine-betas count)
  "Betas of which the shares are a squared cosine, 0.999 at the most."
  (define (share k)
    (square (cos (/ (* (/ (+ (/ k (inexact count)) 0.008) 1.008) (acos -1)) 2))))
  (tensor (map (lambda (k) (min 0.999 (- 1 (/ (share (+ k 1)) (share k)))))
               (range count))
          :dtype 'float32))

(define (%sampling-times kind config steps all)
  "The times at which the model is asked, the noisiest first."
  (let ((spacing (%config-name config "timestep_spacing"
                               (if (eq? kind 'ddim) "leading" "linspace")))
        (offset (%config-count config "steps_offset" 0))
        (points (if (eq? kind 'dpm) (+ steps 1) steps)))
    (define (first-ones times) (take (reverse times) steps))
    (cond ((equal? spacing "linspace")
           (first-ones
            (map (lambda (k)
                   (let ((t (if (= points 1) 0.0
                                (/ (* k (- all 1.0)) (- points 1)))))
                     (if (eq? kind 'euler) t (exact (round t)))))
                 (range points))))
          ((equal? spacing "leading")
           (first-ones (map (lambda (k) (+ offset (* k (quotient all points))))
                            (range points))))
          ((equal? spacing "trailing")
           (map (lambda (k)
                  (- (exact (round (- all (* k (/ (inexact all) steps))))) 1))
                (range steps)))
          (else (%bad-setting "timestep_spacing"
                              "linspace, leading or trailing" spacing)))))

(define (%sigma-of share)
  "The sigma that says the same as a share."
  (sqrt (/ (- 1 share) share)))

(define (%sampling-sigmas config shares times)
  "The sigmas at times, and at the end."
  (define (between t)
    (let* ((low (exact (floor t)))
           (high (min (+ low 1) (- (vector-length shares) 1)))
           (a (%sigma-of (vector-ref shares low))))
      (+ a (* (- t low) (- (%sigma-of (vector-ref shares high)) a)))))
  (list->vector
   (append (map between times)
           (list (if (equal? (config-ref config "final_sigmas_type" "zero")
                             "zero")
                     0.0
                     (%sigma-of (vector-ref shares 0)))))))

;; Sigmas whose seventh roots are evenly spaced (Karras et al. 2022, equation 5).

(define %karras-root 7.0)

(define (%karras-sampler sampler steps)
  "The sampler with such sigmas, from the largest to the smallest of its own; of
  DPM-Solver++, of those of training.  The times are where training had them."
  (let* ((shares (sampler-shares sampler))
         (own (sampler-sigmas sampler))
         (dpm? (case (sampler-kind sampler)
                 ((dpm) #t)
                 ((euler) #f)
                 (else (%bad-setting "use_karras_sigmas" "false for DDIM" #t))))
         (all (vector-length shares))
         (most (if dpm?
                   (%sigma-of (vector-ref shares (- all 1)))
                   (vector-ref own 0)))
         (least (if dpm?
                    (%sigma-of (vector-ref shares 0))
                    (vector-ref own (- steps 1))))
         (sigmas (%karras-sigmas most least steps))
         (logs (vector-map (lambda (share) (log (%sigma-of share))) shares))
         (times (map (lambda (sigma) (%time-of-sigma logs sigma)) sigmas))
         (cosine? (string=? "squaredcos_cap_v2"
                            (%config-name (sampler-config sampler)
                                          "beta_schedule" "linear")))
         (whole-time (lambda (t) (exact (if cosine? (floor t) (round t))))))
    (%make-sampler (sampler-kind sampler) (sampler-config sampler) shares
                   (if dpm? (map whole-time times) times)
                   (list->vector
                    (append sigmas (list (vector-ref own steps)))))))

(define (%karras-sigmas most least steps)
  "So many sigmas from the largest to the smallest."
  (let ((high (expt most (/ 1 %karras-root)))
        (low (expt least (/ 1 %karras-root))))
    (map (lambda (k)
           (expt (+ high (* (if (= steps 1) 0.0 (/ k (- steps 1.0)))
                            (- low high)))
                 %karras-root))
         (range steps))))

(define (%time-of-sigma logs sigma)
  "The time of training at which a sigma is, between two of them."
  (let* ((wanted (log sigma))
         (low (let search ((low 0) (high (- (vector-length logs) 1)))
                (if (<= (- high low) 1)
                    low
                    (let ((middle (quotient (+ low high) 2)))
                      (if (<= (vector-ref logs middle) wanted)
                          (search middle high)
                          (search low middle))))))
         (high (min (+ low 1) (- (vector-length logs) 1)))
         (a (vector-ref logs low)) (b (vector-ref logs high)))
    (if (= a b)
        (inexact low)
        (+ low (max 0.0 (min 1.0 (/ (- wanted a) (- b a))))))))
