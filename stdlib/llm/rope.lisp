;; rope.lisp - rotary positions (Su et al. 2021): pairs of features of queries
;; and keys are rotated by angles that grow with the position.
;;
;;     angle of pair k at position p  =  p * base^(-2k / dim)
;;
;; Pairs are the two halves, (k, k + dim/2), as in Llama, or neighbours, (2k,
;; 2k + 1), as in GPT-J.  Scalings change the angles, so that models see longer
;; contexts than they have learned.

(define (rope dim steps :base 10000.0 :scaling #f :context #f
              :interleaved #f)
  "The tables of rotary positions from 0: two values, cosines and sines, each
  [steps, dim] float32, for apply-rope.

  scaling is a table or an alist of settings, as in config.json:

      '((\"rope_type\" . \"linear\") (\"factor\" . 4.0))

  with the types linear, dynamic (needs the learned :context), llama3, yarn
  (Peng et al. 2023; both need \"original_max_position_embeddings\"), longrope,
  and default.  interleaved: pairs are neighbours, not halves."
  (unless (and (exact-integer? dim) (> dim 0) (even? dim))
    (wrong-type "rope" "an even positive integer for dim" dim))
  (%positive "rope" "steps" steps)
  (let*-values (((frequencies factor)
                 (%rope-frequencies dim (%positive-real "rope" "base" base)
                                    (%rope-settings scaling) context steps))
                ((cos sin) (%rope-table frequencies factor steps)))
    (values (%for-both cos interleaved) (%for-both sin interleaved))))

(define (apply-rope x cos sin :interleaved #f)
  "x with its features rotated by the tables of rope.  x [..., t, d], cos and
  sin [t, r] or any shape that broadcasts with x[..., r]: the first r features
  are rotated, the others stay."
  (let ((size (tensor-size x -1))
        (rotated (tensor-size cos -1)))
    (unless (and (equal? (tensor-shape cos) (tensor-shape sin))
                 (even? rotated)
                 (<= rotated size))
      (error (format "apply-rope: expected tables of equal shapes, [t, r] with \
an even r up to ~a, got" size)
             (tensor-shape cos) (tensor-shape sin)))
    (if (= rotated size)
        (%rotate-features x cos sin interleaved)
        (tensor-cat
         (list (%rotate-features (tensor-narrow x -1 0 rotated) cos sin
                                 interleaved)
               (tensor-narrow x -1 rotated (- size rotated)))
         -1))))

(define (%rotate-features x cos sin interleaved)
  (+ (* x cos) (* (%quarter-turn x interleaved) sin)))

(define (%quarter-turn x interleaved)
  "Each pair (a, b) as (-b, a)."
  (if interleaved
      (let ((pairs (tensor-unflatten x -1 '(-1 2))))
        (tensor-flatten
         (tensor-stack (list (tensor-neg (tensor-select pairs -1 1))
                             (tensor-select pairs -1 0))
                       -1)
         -2))
      (let-list (((a b) (tensor-chunk x 2 -1)))
        (tensor-cat (list (tensor-neg b) a) -1))))

;; Tables.

(define (%rope-table frequencies factor steps)
  "Cosines and sines [steps, dim / 2] for frequencies [dim / 2]."
  (let ((angles (tensor-outer (tensor-arange steps :dtype 'float32)
                              frequencies)))
    (values (* (tensor-cos angles) factor) (* (tensor-sin angles) factor))))

(define (%for-both table interleaved)
  "A table with columns for both features of each pair."
  (if interleaved
      (tensor-repeat-interleave table 2 -1)
      (tensor-cat (list table table) -1)))

(define (%rope-settings scaling)
  "The settings as a hash table."
  (cond ((hash-table? scaling) scaling)
        ((not scaling) (make-hash-table))
        ((and (list? scaling) (every pair? scaling)) (%table-of scaling))
        (else (wrong-type "rope" "a table or an alist for scaling" scaling))))

(define (%rope-error what . values)
  "Raise an error about rotary settings, which may be those of a file."
  (if (%settings-source)
      (apply %settings-error what values)
      (apply error (string "rope: " what) values)))

(define (%rope-type settings)
  "The name of a scaling; older files say \"type\"."
  (let ((type (config-ref settings "rope_type"
                          (config-ref settings "type" "default"))))
    (if (equal? type "su") "longrope" type)))

(define (%rope-frequencies dim base settings context steps)
  "The frequency of each pair [dim / 2], and a factor of cosines and sines."
  (let ((type (%rope-type settings))
        (plain (lambda (base)
                 (/ 1.0 (tensor-pow base (/ (tensor-arange 0 dim 2
                                                           :dtype 'float32)
                                            dim))))))
    (cond ((equal? type "default") (values (plain base) 1.0))
          ((equal? type "linear")
           (values (/ (plain base) (%rope-factor settings)) 1.0))
          ((equal? type "dynamic")
           (values (plain (%dynamic-base dim base settings context steps))
                   1.0))
          ((equal? type "llama3")
           (values (%llama3-frequencies (plain base) settings) 1.0))
          ((equal? type "yarn")
           (%yarn-frequencies (plain base) dim base settings context))
          ((equal? type "longrope")
           (%long-frequencies (plain base) settings context steps))
          (else
           (%rope-error (string "expected \"default\", \"linear\", \
\"dynamic\", \"llama3\", \"yarn\" or \"longrope\" for rope_type, got "
                                (%shown-setting type)))))))

(define (%rope-number settings key . default)
  "A positive number of the settings of rotary positions, as a double."
  (let ((value (config-ref settings key (and (pair? default) (car default)))))
    (if (%positive-number? value)
        (inexact value)
        (%rope-error (format "the scaling ~s needs a positive number ~s~a"
                             (%rope-type settings) key
                             (if value
                                 (string ", got " (%shown-setting value))
                                 ""))))))

(define (%rope-factor settings . default)
  "By how much contexts are longer than the learned ones."
  (let ((factor (apply %rope-number settings "factor" default)))
    (when (> factor %largest-rope-factor)
      (%rope-error (format "the scaling ~s needs a \"factor\" up to ~a, got"
                           (%rope-type settings) %largest-rope-factor)
                   factor))
    factor))

(define %largest-rope-factor 1000000)

(define (%original-context settings context)
  "The context that a model has learned before its positions were scaled."
  (%rope-number settings "original_max_position_embeddings" context))

(define (%dynamic-base dim base settings context steps)
  "The base that stretches the learned context to that many steps."
  (let* ((factor (%rope-factor settings))
         (context (or context (%original-context settings #f)))
         (longer (max steps context)))
    (* base (expt (- (/ (* factor longer) context) (- factor 1.0))
                  (/ dim (- dim 2.0))))))

(define (%llama3-frequencies plain settings)
  "Long wavelengths are divided by the factor, short ones stay, and those
  between go from one to the other."
  (let* ((factor (%rope-factor settings))
         (low (%rope-number settings "low_freq_factor"))
         (high (%rope-number settings "high_freq_factor"))
         (context (%original-context settings #f))
         (turns (/ (* plain context) (* 2 %pi)))  ; in the learned context
         (smooth (tensor-clamp (/ (- turns low) (- high low)) 0.0 1.0)))
    (+ (* (/ plain factor) (- 1.0 smooth)) (* plain smooth))))


(define (%yarn-frequencies plain dim base settings context)
  "Pairs that turn often keep their frequency, others are divided by the
  factor; and attention is sharpened."
  (let* ((original (%original-context settings context))
         (factor (%rope-factor settings
                               (and context (/ context original))))
         (truncated (%config-flag settings "truncate" #t))
         (pair-of (lambda (turns)
                    (/ (* dim (log (/ original (* turns 2 %pi))))
                       (* 2 (log base)))))
         (low (pair-of (%rope-number settings "beta_fast" 32.0)))
         (high (pair-of (%rope-number settings "beta_slow" 1.0)))
         (low (max (if truncated (floor low) low) 0.0))
         (high (min (if truncated (ceiling high) high) (- dim 1.0)))
         (ramp (tensor-clamp (/ (- (tensor-arange (quotient dim 2)
                                                  :dtype 'float32)
                                   low)
                                (if (= low high) 0.001 (- high low)))
                             0.0 1.0)))
    (values (+ (* (/ plain factor) ramp) (* plain (- 1.0 ramp)))
            (%yarn-sharpness settings factor))))

(define (%yarn-sharpness settings factor)
  "By how much cosines and sines are multiplied."
  (let ((scale (lambda (weight) (%log-scale factor weight)))
        (optional (lambda (key)
                    (and (not (memv (config-ref settings key 0) '(0 0.0)))
                         (%rope-number settings key)))))
    (cond ((config-ref settings "attention_factor" #f)
           (%rope-number settings "attention_factor"))
          ((and (optional "mscale") (optional "mscale_all_dim"))
           (/ (scale (optional "mscale")) (scale (optional "mscale_all_dim"))))
          (else (scale 1.0)))))

(define (%log-scale factor weight)
  (if (<= factor 1.0) 1.0 (+ 1.0 (* 0.1 weight (log factor)))))

(define (%long-frequencies plain settings context steps)
  "Each pair has a divisor of its own, one for short and one for long
  contexts (Ding et al. 2024)."
  (let* ((original (%original-context settings context))
         (factor (%rope-factor settings (/ (or context original) original)))
         (divisors (config-ref settings (if (> steps original)
                                            "long_factor"
                                            "short_factor")
                               'null)))
    (unless (and (list? divisors)
                 (= (length divisors) (tensor-size plain 0))
                 (every real? divisors))
      (%rope-error (format "expected ~a numbers in each list of factors of \
longrope, got ~a" (tensor-size plain 0) (%shown-setting divisors))))
    (values (/ plain (tensor (map inexact divisors)))
            (%rope-number settings "attention_factor"
                          (%long-sharpness factor original)))))

(define (%long-sharpness factor original)
  (if (<= factor 1)
      1.0
      (sqrt (+ 1.0 (/ (log factor) (log original))))))
