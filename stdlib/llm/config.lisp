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

(define (%valid-setting config key default valid? expected)
  "A setting of which a predicate holds.  default: a list of what stands for an
  absent one, or () if the setting is needed."
  (let ((value (config-ref config key 'null)))
    (cond ((and (eq? value 'null) (pair? default)) (car default))
          ((eq? value 'null)
           (%settings-error
            (if (hash-has-key? config key)
                (format "the setting ~s is null; it is needed" key)
                (format "the setting ~s is missing; there are ~a" key
                        (%setting-names config)))))
          ((valid? value) value)
          (else (%bad-setting key expected value)))))

(define (%setting-names config)
  "The names of settings, as far as they fit into a message."
  (let* ((names (hash-keys config))
         (some (take names (min 12 (length names)))))
    (string (string-join (map (lambda (name) (format "~s" name)) some) ", ")
            (if (pair? (drop names (length some))) ", ..." ""))))

(define (%config-size config key . default)
  "A setting that must be a positive integer."
  (%valid-setting config key default
                  (lambda (x) (and (exact-integer? x) (< 0 x 1000000000)))
                  "a positive integer below 1000000000"))

(define (%config-count config key default)
  "A setting that must be an integer from 0 up."
  (%valid-setting config key (list default)
                  (lambda (x) (and (exact-integer? x) (<= 0 x 1000000000)))
                  "an integer from 0 up"))

(define (%config-number config key . default)
  "A setting that must be a positive number, as a double."
  (let ((value (%valid-setting config key default %positive-number?
                               "a positive number")))
    (and value (inexact value))))

(define (%positive-number? x)
  "Whether it is a positive number that a double can hold."
  (and (real? x) (> x 0) (< (inexact x) +inf.0)))

(define (%config-rate config key default)
  "A setting that must be a number from 0 to 1."
  (%valid-setting config key (list default)
                  (lambda (x) (and (real? x) (<= 0 x 1)))
                  "a number from 0 to 1"))

(define (%config-flag config key default)
  "A setting that must be true or false."
  (%valid-setting config key (list default) boolean? "true or false"))

(define (%config-name config key default)
  "A setting that must be a string."
  (%valid-setting config key (list default) string? "a string"))

(define (%config-list config key valid? expected)
  "A setting that must be a list whose items a predicate holds of; () if it is
  absent."
  (%valid-setting config key '(())
                  (lambda (x) (and (list? x) (every valid? x)))
                  expected))

(define (%dividing-count config key width of)
  "A setting that must divide a width, which another one says."
  (let ((count (%config-size config key)))
    (unless (zero? (remainder width count))
      (%settings-error (format "~a must divide ~a, got ~a for ~a" key of count
                               width)))
    count))

(define (%config-heads config)
  "Settings of attention: heads, heads of keys, and their size."
  (let* ((width (%config-size config "hidden_size"))
         (heads (%config-size config "num_attention_heads"))
         (kv-heads (%config-size config "num_key_value_heads" heads))
         (size (%config-size config "head_dim" #f)))
    (unless (zero? (remainder heads kv-heads))
      (%settings-error (format "num_key_value_heads must divide \
num_attention_heads, got ~a for ~a" kv-heads heads)))
    (unless (or size (zero? (remainder width heads)))
      (%settings-error (format "num_attention_heads must divide hidden_size \
where there is no head_dim, got ~a for ~a" heads width)))
    (values heads kv-heads (or size (quotient width heads)))))

(define (%config-experts config count)
  "How many experts each token goes to, of so many."
  (let ((top (%config-size config "num_experts_per_tok")))
    (unless (<= top count)
      (%bad-setting "num_experts_per_tok"
                    (format "an integer up to the number of experts, ~a" count)
                    top))
    top))

(define (%config-context config)
  "The longest context that a model has learned."
  (%config-size config
                (or (find (lambda (key) (hash-has-key? config key))
                          '("n_positions" "max_seq_len"))
                    "max_position_embeddings")
                2048))

(define (%config-with config names)
  "Settings with others besides, which are absent: a list of a name and the
  name that the file has for it, or a pair of a name and a value."
  (let ((copy (hash-copy config)))
    (for-each
     (lambda (entry)
       (let* ((key (car entry))
              (value (if (pair? (cdr entry))
                         (config-ref config (cadr entry) 'null)
                         (cdr entry))))
         (unless (or (eq? value 'null)
                     (not (eq? (config-ref config key 'null) 'null)))
           (hash-set! copy key value))))
     names)
    copy))

(define (%refuse-settings config accepted)
  "Raise an error for a setting with a value that the model cannot have.
  accepted: lists of a name and the values that it may have besides null."
  (for-each
   (lambda (entry)
     (let ((value (config-ref config (car entry) 'null)))
       (unless (or (eq? value 'null) (member value (cdr entry)))
         (%bad-setting (car entry)
                       (if (null? (cdr entry))
                           "null"
                           (string-join (map %shown-setting (cdr entry))
                                        " or "))
                       value))))
   accepted))

(define (%config-window config layer)
  "The sliding window of a layer, or #f: settings may name the type of each
  layer, or begin the windows at one, or switch them off."
  (let ((window (%config-window-size config))
        (types (%config-list config "layer_types" string?
                             "a list of strings")))
    (cond ((not window) #f)
          ((not (%config-flag config "use_sliding_window" #t)) #f)
          ((> (length types) layer)
           (and (equal? (list-ref types layer) "sliding_attention") window))
          ((hash-has-key? config "use_sliding_window")
           (and (>= layer (%config-count config "max_window_layers" 0)) window))
          (else window))))

(define (%config-window-size config)
  "The sliding window, or #f: some files write 0 for none."
  (let ((window (%config-count config "sliding_window" 0)))
    (and (> window 0) window)))

(define (%config-rope config . type)
  "The table of rotary settings, with their base as \"rope_theta\".  type: of
  layers, \"full_attention\" unless given, where settings differ by it."
  (let ((table (make-hash-table))
        (type (if (pair? type) (car type) "full_attention")))
    (define (add! key)
      (let* ((all (%valid-setting config key (list (make-hash-table))
                                  hash-table? "an object"))
             (own (hash-ref all type #f)))
        (hash-for-each (if (hash-table? own) own all)
                       (lambda (key value) (hash-set! table key value)))))
    (hash-set! table "rope_theta" (%config-number config "rope_theta" 10000.0))
    (hash-set! table "partial_rotary_factor"
               (%config-number config "partial_rotary_factor" 1.0))
    (add! "rope_scaling")
    (add! "rope_parameters")
    (unless (hash-has-key? table "original_max_position_embeddings")
      (hash-set! table "original_max_position_embeddings"
                 (%config-size config "original_max_position_embeddings"
                               (%config-context config))))
    table))
