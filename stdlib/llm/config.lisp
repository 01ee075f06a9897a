;; config.lisp - the settings of a language model: config.json of a folder in
;; Hugging Face's layout, as read-json returns it.
;;
;; Both generations of these files are read: the settings of rotary positions
;; stand in "rope_parameters", or in "rope_theta" and "rope_scaling".

(define (config-ref of key . default)
  "The setting of that name of a language model, or of a table of settings.
  JSON's null counts as absent.  The default stands for an absent one; without
  a default, that is an error, which lists the names that exist."
  (let* ((config (if (hash-table? of) of (model-config of)))
         (value (hash-ref config key 'null)))
    (cond ((not (eq? value 'null)) value)
          ((pair? default) (car default))
          (else
           (error (format "config-ref: there is no setting ~s; there are" key)
                  (hash-keys config))))))

(define (%config-size config key . default)
  "A setting that must be a positive integer."
  (let ((value (apply config-ref config key default)))
    (if (or (and (exact-integer? value) (< 0 value 1000000000))
            (and (pair? default) (eq? value (car default))))
        value
        (%bad-setting key "a positive integer" value))))

(define (%config-number config key . default)
  "A setting that must be a positive number, as a double."
  (let ((value (apply config-ref config key default)))
    (cond ((and (real? value) (> value 0)) (inexact value))
          ((and (pair? default) (eq? value (car default))) value)
          (else (%bad-setting key "a positive number" value)))))

(define (%config-flag config key default)
  "A setting that must be true or false."
  (let ((value (config-ref config key default)))
    (if (boolean? value)
        value
        (%bad-setting key "true or false" value))))

(define (%bad-setting key expected value)
  (error (format "language model: expected ~a for the setting ~s, got" expected
                 key)
         value))

(define (%config-heads config)
  "Settings of attention: heads, heads of keys, and their size."
  (let* ((width (%config-size config "hidden_size"))
         (heads (%config-size config "num_attention_heads"))
         (kv-heads (%config-size config "num_key_value_heads" heads))
         (size (or (%config-size config "head_dim" #f) (quotient width heads))))
    (unless (zero? (remainder heads kv-heads))
      (error (format "language model: num_key_value_heads must divide \
num_attention_heads, got ~a for ~a" kv-heads heads)))
    (values heads kv-heads size)))

(define (%config-context config)
  "The longest context that a model has learned."
  (%config-size config (if (hash-has-key? config "n_positions")
                           "n_positions"
                           "max_position_embeddings")
                2048))

(define (%config-window config layer)
  "The sliding window of a layer, or #f: settings may name the type of each
  layer, or begin the windows at one, or switch them off."
  (let ((window (%config-window-size config))
        (types (config-ref config "layer_types" '())))
    (cond ((not window) #f)
          ((not (%config-flag config "use_sliding_window" #t)) #f)
          ((> (length types) layer)
           (and (equal? (list-ref types layer) "sliding_attention") window))
          ((hash-has-key? config "use_sliding_window")
           (and (>= layer (config-ref config "max_window_layers" 0)) window))
          (else window))))

(define (%config-window-size config)
  (let ((window (config-ref config "sliding_window" 0)))
    (cond ((eqv? window 0) #f)
          ((and (exact-integer? window) (> window 0)) window)
          (else (%bad-setting "sliding_window" "a positive integer" window)))))

(define (%config-rope config)
  "The table of rotary settings, with their base as \"rope_theta\"."
  (let ((table (make-hash-table)))
    (define (add! settings)
      (when (hash-table? settings)
        (hash-for-each settings
                       (lambda (key value) (hash-set! table key value)))))
    (hash-set! table "rope_theta" (%config-number config "rope_theta" 10000.0))
    (hash-set! table "partial_rotary_factor"
               (%config-number config "partial_rotary_factor" 1.0))
    (add! (config-ref config "rope_scaling" #f))
    (add! (config-ref config "rope_parameters" #f))
    (unless (hash-has-key? table "original_max_position_embeddings")
      (hash-set! table "original_max_position_embeddings"
                 (%config-size config "original_max_position_embeddings"
                               (%config-context config))))
    table))
