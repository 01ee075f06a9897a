;; gguf-settings.lisp - the settings of a language model as GGUF files have
;; them, and whether the file that is to be written says all of them.
;;
;;     "rms_norm_eps": 1e-5  =>  ("llama.attention.layer_norm_rms_epsilon"
;;                                float32 1e-5)

(define (%gguf-architecture-of config)
  "What llama.cpp calls the architecture of settings."
  (let* ((type (hash-ref config "model_type" #f))
         (type (cond ((member type '("mistral" "mixtral")) "llama")
                     ((equal? type "olmo3") "olmo2")
                     ((equal? type "granitemoeshared") "granitemoe")
                     (else type)))
         (found (find (lambda (entry) (equal? (cdr entry) type))
                      %gguf-architectures)))
    (unless found
      (error (format "save-gguf: GGUF files are written for the model types \
~a; got" (string-join (map cdr %gguf-architectures) ", "))
             type))
    (car found)))

(define (%gguf-written-settings config arch)
  "The settings of an architecture: lists of key, type and value."
  (define written (make-hash-table))
  (define (entry key value)
    (let ((key (string arch "." key)))
      (if (or (hash-has-key? written key) (memq value '(null #f)))
          '()
          (begin (hash-set! written key #t)
                 (list (%gguf-setting key value))))))
  (let ((own (assoc arch %gguf-own-settings)))
    (append
     (append-map (lambda (pair)
                   (entry (cdr pair) (hash-ref config (car pair) #f)))
                 (remove (lambda (pair) (string-prefix? "rope." (cdr pair)))
                         (append (if (equal? arch "gpt2")
                                     %gguf-gpt2-settings
                                     %gguf-settings)
                                 (if own (cdr own) '()))))
     (entry "vocab_size" (hash-ref config "vocab_size" #f))
     (append-map (lambda (pair) (entry (car pair) (cdr pair)))
                 (if (equal? arch "gpt2")
                     '()
                     (%gguf-derived-settings config arch))))))

(define (%gguf-setting key value)
  "The list of key, type and value.  Sizes are integers, all else is floats."
  (cond ((boolean? value) (list key 'bool value))
        ((string? value) (list key 'string value))
        ((and (pair? value) (boolean? (car value))) (list key 'bool-list value))
        ((and (exact-integer? value)
              (not (any (lambda (end) (string-suffix? end key))
                        '("epsilon" "scale" "freq_base" "freq_base_swa" "factor"
                          "softcapping" "yarn_beta_fast" "yarn_beta_slow"))))
         (list key 'uint32 value))
        (else (list key 'float32 (inexact value)))))

(define (%gguf-derived-settings config arch)
  "Keys and values that follow from several settings: of positions, windows and
  scores."
  (let*-values (((heads kv-heads size) (%config-heads config)))
    (let ((rope (%config-rope config)))
      (append
       (list (cons "attention.value_length"
                   (and (hash-has-key? config "head_dim") size))
             (cons "rope.freq_base" (%gguf-base rope size))
             (cons "rope.dimension_count"
                   (exact (truncate (* size
                                       (hash-ref rope "partial_rotary_factor"
                                                 1.0)))))
             (cons "attention.scale"
                   (and (member arch '("gemma2" "gemma3"))
                        (hash-ref config "query_pre_attn_scalar" #f)
                        (/ (sqrt (hash-ref config "query_pre_attn_scalar")))))
             (cons "rope.freq_base_swa"
                   (and (equal? arch "gemma3")
                        (hash-ref (%config-rope config "sliding_attention")
                                  "rope_theta"))))
       (%gguf-window-settings config arch)
       (%gguf-scaling-settings rope)))))

(define (%gguf-base rope size)
  "The base of rotary positions; Hunyuan's is stretched."
  (let ((base (hash-ref rope "rope_theta"))
        (alpha (hash-ref rope "alpha" #f)))
    (if (and (real? alpha) (equal? (%rope-type rope) "dynamic"))
        (* base (expt alpha (/ size (- size 2.0))))
        base)))

(define (%gguf-window-settings config arch)
  "Which layers have windows, where GGUF says it layer by layer."
  (let ((types (hash-ref config "layer_types" #f)))
    (if (and (pair? types)
             (member arch '("gemma3" "olmo2" "cohere2" "exaone4")))
        (list (cons "attention.sliding_window_pattern"
                    (map (lambda (type) (equal? type "sliding_attention"))
                         types)))
        '())))

(define (%gguf-scaling-settings rope)
  "Keys and values of the scaling of positions."
  (let ((type (%rope-type rope))
        (original (hash-ref rope "original_max_position_embeddings" #f)))
    (define (scaling key value)
      (cons (string "rope.scaling." key) value))
    (cond ((equal? type "linear")
           (list (scaling "type" type)
                 (scaling "factor" (%rope-factor rope))))
          ((equal? type "yarn")
           (let ((factor (%rope-factor rope))
                 (sharpness (hash-ref rope "attention_factor" 'null)))
             (list (scaling "type" type)
                   (scaling "factor" factor)
                   (scaling "original_context_length" original)
                   (scaling "yarn_beta_fast" (hash-ref rope "beta_fast" 'null))
                   (scaling "yarn_beta_slow" (hash-ref rope "beta_slow" 'null))
                   (scaling "attn_factor"
                            (and (real? sharpness)
                                 (/ sharpness
                                    (if (<= factor 1)
                                        1.0
                                        (+ 1.0 (* 0.1 (log factor))))))))))
          ((equal? type "longrope")
           (list (scaling "type" type)
                 (scaling "original_context_length" original)
                 (scaling "attn_factor"
                          (hash-ref rope "attention_factor" 'null))))
          (else '()))))

(define (%gguf-rope-tensors config)
  "The tensors of a scaling that has a number for each pair of features."
  (if (equal? (hash-ref config "model_type") "gpt2")
      '()
      (let* ((rope (%config-rope config))
             (type (%rope-type rope)))
        (cond ((equal? type "llama3")
               (let-values (((heads kv-heads size) (%config-heads config)))
                 (let ((plain (/ 1.0 (tensor-pow
                                      (hash-ref rope "rope_theta")
                                      (/ (tensor-arange 0 size 2
                                                        :dtype 'float32)
                                         size)))))
                   (list (list "rope_freqs.weight" 'F32
                               (/ plain (%llama3-frequencies plain rope)))))))
              ((equal? type "longrope")
               (map (lambda (name key)
                      (list name 'F32
                            (tensor (map inexact (hash-ref rope key))
                                    :dtype 'float32)))
                    '("rope_factors_long.weight" "rope_factors_short.weight")
                    '("long_factor" "short_factor")))
              (else '())))))

;; Whether the file says all that the model is.

(define (%check-gguf-settings path metadata tensors model tokenizer)
  "Raise an error unless settings and tensors that are to be written lead to the
  same model and the same tokens.  They are read again from a small file beside
  the path."
  (let ((scratch (string path ".settings")))
    (dynamic-wind
      (lambda ()
        (%procedure "save-gguf" scratch metadata
                    (filter (lambda (entry)
                              (string-prefix? "rope_" (car entry)))
                            tensors)))
      (lambda ()
        (let* ((shapes (%table-of
                        (map (lambda (entry)
                               (list (car entry) (cadr entry)
                                     (tensor-shape (caddr entry))))
                             tensors)))
               (config (%gguf-config path (%procedure "open-gguf" scratch)
                                     shapes)))
          (%check-same-structure
           "model" model
           (%built-model config (model-dtype model) '()))
          (when tokenizer (%check-gguf-tokens scratch tokenizer))))
      (lambda () (delete-file scratch)))))

(define (%check-same-structure path a b)
  "Raise an error that names the first field in which two models differ, but for
  their weights and what is only for training."
  (cond ((and (module? a) (module? b)
              (equal? (record-type a) (record-type b)))
         (for-each (lambda (name x y)
                     (unless (memq name '(config rules dropout))
                       (%check-same-structure (string path "." name) x y)))
                   (record-type-fields (record-type a))
                   (record-fields a) (record-fields b)))
        ((and (tensor? a) (tensor? b))
         (%check-same-field path (tensor-shape a) (tensor-shape b)))
        ((and (pair? a) (pair? b) (= (length a) (length b)))
         (for-each (lambda (x y k)
                     (%check-same-structure (format "~a.~a" path k) x y))
                   a b (iota (length a))))
        ((and (%rotation? a) (%rotation? b))
         (%check-same-rotation path a b))
        ((and (procedure? a) (procedure? b))
         (when (string-suffix? ".activation" path)
           (let ((x (tensor '(-3.0 -0.7 0.2 2.5))))
             (unless (tensor-allclose (a x) (b x))
               (%gguf-cannot-say path "the one of its settings")))))
        ((and (real? a) (real? b) (or (inexact? a) (inexact? b)))
         (unless (<= (abs (- a b)) (* 1e-6 (abs a)))
           (%gguf-cannot-say path a)))
        (else (%check-same-field path a b))))

(define (%check-same-field path a b)
  (unless (equal? a b)
    (%gguf-cannot-say path (cond ((tensor? a) "there")
                                 ((tensor? b) "left out")
                                 (else a)))))

(define (%check-same-rotation path a b)
  "Raise an error unless two rotations turn by the same angles."
  (%check-same-field path (%rotation-size a) (%rotation-size b))
  (%check-same-field path (%rotation-interleaved a) (%rotation-interleaved b))
  (for-each
   (lambda (steps)
     (let-values (((x u) (%rope-frequencies
                          (%rotation-size a) (%rotation-base a)
                          (%rotation-settings a) (%rotation-context a) steps))
                  ((y v) (%rope-frequencies
                          (%rotation-size b) (%rotation-base b)
                          (%rotation-settings b) (%rotation-context b) steps)))
       (unless (and (tensor-allclose x y 1e-4 0.0) (< (abs (- u v)) 1e-5))
         (%gguf-cannot-say path (%rope-type (%rotation-settings a))))))
   (list 1 (* 2 (%rotation-context a)))))

(define (%gguf-cannot-say path x)
  "Raise the error for a field of a model that a GGUF file leaves out."
  (%error-with-hint
   (format "save-gguf: GGUF cannot say that ~a is ~a" path x)
   '()
   "save-llm writes a folder that can"))
