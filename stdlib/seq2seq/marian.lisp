;; marian.lisp - relatives of BART whose positions are sines and cosines
;; (Vaswani et al. 2017): Marian (Junczys-Dowmunt et al. 2018), which translates,
;; Pegasus (Zhang et al. 2020), which summarizes, and M2M-100 (Fan et al. 2020)
;; with NLLB.

(define-module (sine-positions width rates first table)
  "Positions int64 [t] as sines and cosines: [t, width].  rates float64 [width /
  2]: the angle of each step.  first: the number of position 0.  table: a
  procedure of the tensor whose dtype and device the result has."
  ((rates rates)
   (first first)
   (table table))
  (forward (positions)
    (let* ((like (table))
           (angles (* (tensor-to (tensor-unsqueeze (+ positions first) -1)
                                 (tensor-dtype rates))
                      (tensor-to rates (tensor-device positions)))))
      (tensor-to (tensor-cat (list (tensor-sin angles) (tensor-cos angles)) -1)
                 (tensor-dtype like)))))

(define (%sine-positions config first span)
  "A procedure that makes positions for a table of tokens.  Rates fall from 1 to
  1/10000, which would be the one at index span."
  (let* ((width (%even-width config))
         (rates (tensor-exp (* (tensor-arange (quotient width 2)
                                              :dtype 'float64)
                               (/ (- (log 10000.0)) (span width))))))
    (lambda (table)
      (sine-positions width rates first
                      (lambda () (embedding-weight table))))))

(define (%even-width config)
  "The width, which must be even for pairs of sines and cosines."
  (let ((width (%config-size config "d_model")))
    (unless (and (even? width) (> width 2))
      (%bad-setting "d_model" "an even integer from 4 up" width))
    width))

(define (%marian-of config)
  "The model that the settings of Marian describe."
  (%bart-like config :norm-first #f
              :positions (%sine-positions config 0
                                          (lambda (width) (/ width 2)))))

(define (%pegasus-of config)
  "The model that the settings of Pegasus describe.  Its files may have the
  table of positions."
  (let ((count (%bart-context config))
        (sines (%sine-positions config 0 (lambda (width) (/ width 2)))))
    (%bart-like
     config :norm-first #t
     :positions
     (lambda (table)
       (learned-positions count (%even-width config) 0
                          :usual (lambda ()
                                   ((sines table) (tensor-arange count))))))))

(define (%m2m100-of config)
  "The model that the settings of M2M-100 describe; positions begin after the
  number of padding."
  (%bart-like config :norm-first #t :logits-bias #f
              :positions (%sine-positions config
                                          (+ 1 (%config-count config
                                                              "pad_token_id" 1))
                                          (lambda (width)
                                            (- (/ width 2) 1)))))
