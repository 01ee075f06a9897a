;; quantized-folders.lisp - models that other programs have quantized.
;;
;;     config.json  {"quantization_config": {"quant_method": "gptq", ...}, ...}
;;
;; Where a layer of ours has the same integers or codes, the model keeps them;
;; other weights become floats when they are loaded.  Which modules are
;; quantized, the tensors say: what is not, stays as it is.

(define-record-type %quantizing
  (%make-quantizing name marks extras read check prepare)
  %quantizing?
  (name %quantizing-name)       ; the "quant_method"
  (marks %quantizing-marks)     ; endings of tensors that only these weights have
  (extras %quantizing-extras)   ; endings of all that belong to a weight
  (read %quantizing-read)       ; of table, base and settings: the stored weight
  (check %quantizing-check)     ; of settings: an error, if it cannot be read
  ;; Of table, settings and folder: the settings for `read`, after changes of
  ;; the table.
  (prepare %quantizing-prepare))

(define (%quantizing-methods)
  "The methods by which a folder may be quantized."
  (let ((scaled '(".weight_scale" ".weight_scale_inv" ".weight_packed"
                  ".weight_shape" ".weight_zero_point" ".weight_g_idx"
                  ".weight_global_scale" ".input_scale" ".input_scale_ub"
                  ".input_zero_point" ".input_global_scale" ".output_scale"
                  ".output_zero_point" ".k_scale" ".v_scale" ".q_scale"
                  ".activation_scale")))
    (define (scaled-method name prepare)
      (%make-quantizing name '(".weight_scale" ".weight_scale_inv") scaled
                        %scaled-stored %check-format prepare))
    (define (any-settings settings) #t)
    (define (as-they-are table settings folder) settings)
    (list (%make-quantizing "gptq" '(".qweight")
                            '(".qweight" ".qzeros" ".scales" ".g_idx")
                            %gptq-stored any-settings as-they-are)
          (%make-quantizing "awq" '(".qweight")
                            '(".qweight" ".qzeros" ".scales")
                            %awq-stored %check-awq as-they-are)
          (%make-quantizing "bitsandbytes" '(".SCB" ".weight.absmax")
                            '(".SCB" ".weight_format" ".weight.absmax"
                              ".weight.quant_map" ".weight.nested_absmax"
                              ".weight.nested_quant_map"
                              ".weight.quant_state.bitsandbytes__nf4"
                              ".weight.quant_state.bitsandbytes__fp4")
                            %bitsandbytes-stored any-settings as-they-are)
          (scaled-method "compressed-tensors" as-they-are)
          (scaled-method "fp8" %fp8-settings)
          (scaled-method "fbgemm_fp8" as-they-are)
          (%make-quantizing "torchao" '("._weight_qdata") %torchao-parts
                            %torchao-stored any-settings
                            %torchao-settings))))

(define (%check-format settings)
  "Raise an error for a format of compressed-tensors that is not read here."
  (%refuse-settings
   settings
   '(("format" "float-quantized" "int-quantized" "pack-quantized"
      "naive-quantized" "nvfp4-pack-quantized" "mxfp4-pack-quantized"
      "mixed-precision" "dense")))
  (let ((transforms (config-ref settings "transform_config" #f)))
    (when (and (hash-table? transforms)
               (let ((groups (config-ref transforms "config_groups" #f)))
                 (and (hash-table? groups) (> (hash-size groups) 0))))
      (%quantizing-error "compressed-tensors with a transform_config"))))

(define (%quantization-settings config)
  "The settings of how a folder is quantized, or #f.  gpt-oss reads its own."
  (let ((settings (config-ref config "quantization_config"
                              (config-ref config "compression_config" #f))))
    (cond ((not settings) #f)
          ((not (hash-table? settings))
           (%bad-setting "quantization_config" "an object" settings))
          ((equal? (hash-ref settings "quant_method" #f) "mxfp4") #f)
          (else settings))))

(define (%quantizing-of settings)
  "The method that settings name, or an error."
  (let* ((name (config-ref settings "quant_method"
                           (cond ((hash-has-key? settings "load_in_4bit")
                                  "bitsandbytes")
                                 ((hash-has-key? settings "config_groups")
                                  "compressed-tensors")
                                 (else 'null))))
         (method (find (lambda (each) (equal? (%quantizing-name each) name))
                       (%quantizing-methods))))
    (unless method
      (%quantizing-error (%shown-setting name)))
    ((%quantizing-check method) settings)
    method))

(define (%quantizing-error what)
  "Raise the error for weights that are quantized by an unknown method."
  (%error-with-hint
   (format "~a: weights that are quantized by ~a cannot be read; known are ~a"
           (or (%settings-source) "load-llm") what
           (string-join (map %quantizing-name (%quantizing-methods)) ", "))
   '()
   "take the model that is not quantized, and :bits 4 or 8; or in Python \
model.dequantize() and model.save_pretrained(folder); or a GGUF file"))

(define (%stored-weights table settings folder)
  "The quantized weights of the table of a folder: a table from name, such as
  \"x.weight\", to stored weight.  Their tensors leave the table."
  (let* ((method (%quantizing-of settings))
         (settings ((%quantizing-prepare method) table settings folder))
         (stored (make-hash-table)))
    (for-each
     (lambda (name)
       (let ((mark (find (lambda (end) (string-suffix? end name))
                         (%quantizing-marks method))))
         (when mark
           (let ((base (%without-ending name mark)))
             (hash-set! stored (string base ".weight")
                        ((%quantizing-read method) table base settings))))))
     (hash-keys table))
    (%remove-stored! table stored (%quantizing-extras method))
    (%check-left table)
    stored))

(define (%without-ending name ending)
  (substring name 0 (- (string-length name) (string-length ending))))

(define (%remove-stored! table stored extras)
  "Remove what belongs to quantized weights from a table."
  (for-each
   (lambda (name)
     (let ((base (%without-ending name ".weight")))
       (hash-delete! table name)
       (for-each (lambda (end) (hash-delete! table (string base end)))
                 extras)))
   (hash-keys stored))
  ;; Scales of the cache are of modules that have no weight.
  (for-each (lambda (name)
              (when (any (lambda (end) (string-suffix? end name))
                         '(".k_scale" ".v_scale" ".q_scale"))
                (hash-delete! table name)))
            (hash-keys table)))

(define (%check-left table)
  "Raise an error for 8-bit floats without scales."
  (hash-for-each
   table
   (lambda (name x)
     (when (and (tensor? x) (memq (tensor-dtype x) %float8s))
       (%stored-error (if (string-suffix? ".weight" name)
                          (%without-ending name ".weight")
                          name)
                      (format "its ~a has no scales" (tensor-dtype x)))))))

;; The model.

(define (%add-stored! model stored table expand)
  "Give a model the quantized weights: layers that can keep them replace linear
  ones, and the others become floats.  All go to the table, by the names that
  the rules of the model expect.  expand: whether all become floats."
  (define links
    (%links "load-llm" (map car (state-dict model)) (decoder-rules model) ""))
  (define known
    (%table-of (append-map (lambda (link)
                             (map (lambda (saved) (cons saved #t))
                                  (%link-saved link)))
                           links)))
  (for-each
   (lambda (link)
     (let* ((given (filter-map (lambda (saved) (hash-ref stored saved #f))
                               (%link-saved link)))
            (layer (and (not expand)
                        (= (length given) (length (%link-saved link)))
                        (%layer-for link given model))))
       (if layer
           (%keep-stored! model link given layer table)
           (for-each (lambda (saved)
                       (when (hash-has-key? stored saved)
                         (hash-set! table saved
                                    ((%stored-floats
                                      (hash-ref stored saved))))))
                     (%link-saved link)))
       (for-each (lambda (saved)
                   (hash-delete! stored saved)
                   (%drop-zero-bias! saved known table))
                 (%link-saved link))))
   links)
  ;; What the model has no tensor for is unexpected, and named by the load.
  (for-each (lambda (name) (hash-set! table name (tensor-zeros 0)))
            (hash-keys stored)))

(define (%drop-zero-bias! saved known table)
  "Remove a bias of zeros that is not among the known names: some programs write
  one for each layer."
  (when (string-suffix? ".weight" saved)
    (let* ((name (string (%without-ending saved ".weight") ".bias"))
           (bias (hash-ref table name #f)))
      (when (and (tensor? bias)
                 (not (hash-has-key? known name))
                 (not (tensor-item (tensor-any (tensor-ne bias 0)))))
        (hash-delete! table name)))))

(define (%layer-for link given model)
  "The linear layer that becomes one of the same integers or codes as the stored
  weights of a link, or #f."
  (let* ((name (car (%link-names link)))
         (layer (and (null? (cdr (%link-names link)))
                     (not (%link-transpose link))
                     (not (%link-stack link))
                     (string-suffix? ".weight" name)
                     (%linear-at model name)))
         (bits (%stored-bits (car given))))
    (and layer bits
         (every (lambda (each) (eqv? (%stored-bits each) bits)) given)
         (every (lambda (each) (= (%stored-columns each)
                                  (tensor-size (linear-weight layer) 1)))
                given)
         (= (apply + (map %stored-rows given))
            (tensor-size (linear-weight layer) 0))
         (or (eq? bits 'code)
             (every (lambda (each) (zero? (remainder (%stored-rows each) 16)))
                    (drop-right given 1)))   ; parts begin with a tile
         layer)))

(define (%keep-stored! model link given layer table)
  "Replace a linear layer by one that has the stored weights as they are."
  (let* ((name (car (%link-names link)))
         (bits (%stored-bits (car given)))
         (all (map (lambda (each) ((%stored-parts each))) given))
         (minimum? (any (lambda (parts) (assoc "minimum" parts)) all))
         (rows (tensor-size (linear-weight layer) 0))
         (columns (tensor-size (linear-weight layer) 1))
         (bias (tensor? (linear-bias layer))))
    (replace-module!
     model (%without-ending name ".weight")
     (if (eq? bits 'code)
         (code-linear columns rows :bias bias :parts (length given)
                      :block (quotient columns
                                       (tensor-size
                                        (cdr (assoc "scale" (car all))) 1)))
         (%unfilled-layer bits columns rows bias minimum?)))
    (for-each
     (lambda (saved parts)
       (let ((base (%without-ending saved "weight")))
         (for-each (lambda (part)
                     (hash-set! table (string base (car part)) (cdr part)))
                   parts)
         (when (and minimum? (not (assoc "minimum" parts)))
           (hash-set! table (string base "minimum")
                      (tensor-zeros-like (cdr (assoc "scale" parts)))))))
     (%link-saved link) all)))

;; Tensors alone.

(define (load-dequantized folder)
  "The tensors of a folder that GPTQ, AWQ, bitsandbytes, compressed-tensors, fp8
  or torchao has quantized, or of one that is not: a hash table of names.  Quantized
  weights are float32, exactly what their method defines; the others are as the
  files have them."
  (unless (string? folder)
    (wrong-type "load-dequantized" "the path of a folder" folder))
  (%check-model-folder "load-dequantized" folder "LM")
  (parameterize ((%settings-source
                  (%settings-of-folder "load-dequantized" folder)))
    (let* ((config (%read-config "load-dequantized" folder))
           (settings (%quantization-settings config))
           (table (load-tensors folder)))
      (when settings (%dequantize! table settings folder))
      table)))

(define (%dequantize! table settings folder)
  "Make floats of the quantized weights of the table of a folder."
  (hash-for-each (%stored-weights table settings folder)
                 (lambda (name stored)
                   (hash-set! table name ((%stored-floats stored))))))

(define (%dequantized! table config folder)
  "Make floats of the weights of the table of a folder if its settings say that
  they are quantized; then the settings no longer say so."
  (let ((settings (%quantization-settings config)))
    (when settings
      (%dequantize! table settings folder)
      (hash-delete! config "quantization_config")
      (hash-delete! config "compression_config"))))
