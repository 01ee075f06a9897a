;; exaone.lisp - EXAONE 4 (LG AI Research 2025): norms after attention and MLP,
;; norms of heads; where layers have windows, those without have no positions.

(define (%exaone4-of config)
  "The model that the settings of EXAONE 4 describe."
  (let* ((config (%config-with config '(("rms_norm_eps" . 1e-5))))
         (window (%config-window-size config))
         (config (if window
                     (%with-layer-types config (%exaone-pattern config))
                     config))
         (norm (config-norm config)))
    (llama-like
     config
     :layer %post-norm
     :attention (lambda (k)
                  (config-attention config k :norm norm
                                    :rotation (and (or (not window)
                                                       (%sliding-layer? config
                                                                        k))
                                                   'model))))))

(define (%exaone-pattern config)
  "The number of layers of which the last has no window; files may write it as
  LLLG."
  (let ((pattern (config-ref config "sliding_window_pattern" 4)))
    (cond ((and (exact-integer? pattern) (> pattern 0)) pattern)
          ((and (string? pattern)
                (equal? pattern
                        (string (make-string (- (string-length pattern) 1) #\L)
                                "G")))
           (string-length pattern))
          (else (%bad-setting "sliding_window_pattern"
                              "a positive integer or a word like \"LLLG\""
                              pattern)))))
