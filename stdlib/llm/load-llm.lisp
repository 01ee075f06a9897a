;; load-llm.lisp - language models from folders in Hugging Face's layout and
;; from GGUF files, and new ones.

(define-record-type %architecture
  (%make-architecture type build)
  %architecture?
  (type %architecture-type)
  (build %architecture-build))

(define (architecture type build)
  "An architecture for load-llm.  type: the \"model_type\" of config.json, or a
  name in its \"architectures\".  build: a procedure of the settings, a hash
  table, that returns the model, a decoder, whose weights need no values."
  (unless (string? type) (wrong-type "architecture" "a string" type))
  (unless (procedure? build) (wrong-type "architecture" "a procedure" build))
  (%make-architecture type build))

(define (load-llm path :dtype #f :device #f :architectures '()
                  :bits #f :expand #f :progress #f)
  "The language model in a folder of Hugging Face's layout, config.json and
  safetensors files, or in a GGUF file.

  dtype: float32, float16 or bfloat16, that of the files unless given.
  architectures: those that the program defines (see architecture), which come
  before the library's.  progress: #t shows how much is loaded on the standard
  error, a procedure is called with a count of tensors and how many there are.
  bits: 8, 4 or a kind such as 'Q4_K_M quantizes the linear layers as
  quantize-model! does, each as soon as it is loaded, which takes less memory.  The model is in evaluation mode.

  A folder may be quantized by GPTQ, AWQ, bitsandbytes, compressed-tensors, fp8
  or torchao: linear layers keep integers and codes of 4 bits, and integers of 8, where
  groups of 32 columns or more share a scale; other weights become floats, or
  get :bits.  expand: #t makes floats of all of them, exactly those that the
  method defines, as what learns needs.

  Files are mapped: a tensor is read when it is first used, and one that must
  be converted or joined with others is copied alone.  Matrices of a GGUF file
  in Q8_0, Q5_K, Q4_0, Q4_1, Q4_K, IQ4_NL, IQ4_XS, MXFP4, TQ1_0 or TQ2_0 keep
  their integers, those in Q2_K or Q3_K their blocks, and those in other types
  get 8 bits.  A weight that is missing, unexpected or of another shape is an
  error that names all such.  A path that ends with .pt is that of a TorchScript
  module (torchscript-model)."
  (unless (string? path)
    (wrong-type "load-llm" "the path of a folder or a GGUF file" path))
  (when bits (%check-bits "load-llm" bits))
  (let* ((progress (%loading-progress progress))
         (model (cond ((%gguf-file? path)
                       (to! (%gguf-llm path dtype architectures progress)
                            (default-device)))   ; integers are in the file
                      ((%torchscript-path? path)
                       (%torchscript-llm path dtype architectures progress))
                      (else
                       (%check-model-folder "load-llm" path "LM")
                       (%folder-llm path dtype architectures bits expand
                                    progress)))))
    (when bits (quantize-model! model :bits bits))  ; what is left: a tied head
    (when device (to! model device))
    (eval-mode! model)))

(define (%gguf-file? path)
  "Whether a path is that of a GGUF file."
  (or (string-suffix? ".gguf" path)
      (and (file-exists? path)
           (not (folder? path))
           (equal? (call-with-port (open-binary-input-file path)
                     (lambda (port) (read-bytevector 4 port)))
                   (bytevector 71 71 85 70)))))

(define (%folder-llm folder dtype architectures bits expand progress)
  "The language model in a folder; bits and expand: see load-llm."
  (let* ((whole (%read-config "load-llm" folder))
         (text? (%has-text-model? whole))
         (config (if text? (%text-settings whole) whole))
         (table (%tensors-of-folder folder))
         (table (if text? (%text-tensors table) table))
         (table (%with-mxfp4-expanded (%without-predictors table config)
                                      config)))
    (parameterize ((%settings-source (%settings-of-folder "load-llm" folder)))
      (let* ((dtype (%loaded-dtype config dtype))
             (integers? (hash-has-key? config "lambent_quantization"))
             (settings (%quantization-settings whole))
             (stored (and settings (%stored-weights table settings folder)))
             (model (begin
                      (%check-plausible config table (or integers? settings))
                      (%built-model config dtype architectures))))
        (when stored
          (%add-stored! model stored table expand)
          (hash-delete! (model-config model) "quantization_config")
          (hash-delete! (model-config model) "compression_config"))
        (if integers?
            (%prepare-quantized! model table)
            (%untie-head! model table))
        (%use-tensors! "load-llm" (format "~s" folder) model table
                       :rules (if integers? '() (decoder-rules model))
                       :dtype dtype :progress progress
                       :filled (and bits
                                    (%quantize-when-filled model bits)))))))

(define (%untie-head! model table)
  "Give a head that settings tie to the table of tokens a matrix of its own, if
  the files have two that differ, as transformers does."
  (let ((head (decoder-lm-head model)) (tokens (decoder-embed-tokens model)))
    (define (saved name)
      (hash-ref table (car (%link-saved
                            (car (%links "load-llm" (list name)
                                         (decoder-rules model) ""))))
                #f))
    (when (and (linear? head) (embedding? tokens)
               (eq? (linear-weight head) (embedding-weight tokens)))
      (let ((own (saved "lm_head.weight"))
            (shared (saved "embed_tokens.weight")))
        (when (and own shared
                   (equal? (tensor-shape own) (tensor-shape shared))
                   (not (tensor-equal own shared)))
          (set-linear-weight! head
                              (tensor-empty (tensor-shape own)
                                            :dtype (tensor-dtype
                                                    (linear-weight head)))))))))

(define (%check-plausible config table integers?)
  "Raise an error for settings by which the model would be much larger than its
  files: it would take memory for nothing."
  (let ((count (hash-size table))
        (largest (fold (lambda (x most)
                         (if (tensor? x)
                             (apply max most (tensor-shape x))
                             most))
                       1 (hash-values table))))
    (define (check keys most what)
      (for-each
       (lambda (key)
         (let ((value (%config-size config key 1)))
           (when (> value most)
             (%settings-error (format "~s is ~a, but ~a is ~a" key value what
                                      most)))))
       keys))
    (check '("num_hidden_layers" "n_layer" "n_layers" "num_experts"
             "num_local_experts" "n_routed_experts")
           count "the number of tensors in the files")
    ;; Quantized weights have other shapes.
    (unless integers?
      (check '("hidden_size" "n_embd" "vocab_size" "intermediate_size"
               "n_inner" "moe_intermediate_size" "num_attention_heads"
               "n_head" "head_dim" "shared_expert_intermediate_size"
               "n_positions" "dim" "hidden_dim" "n_heads"
               "n_embed" "d_model" "ffn_dim" "ffn_hidden_size"
               "word_embed_proj_dim" "num_kv_heads" "num_heads" "state_size"
               "conv_kernel" "conv_L_cache" "kv_lora_rank" "q_lora_rank"
               "qk_nope_head_dim" "qk_rope_head_dim" "v_head_dim"
               "linear_num_key_heads" "linear_num_value_heads"
               "linear_key_head_dim" "linear_value_head_dim"
               "linear_conv_kernel_dim")
             largest "the largest size of a tensor in the files"))))

(define (%tensors-of-folder folder)
  "The tensors of a folder, without those that follow from its settings.  A
  model without a head may have been saved, whose names lack their beginning."
  (let* ((table (load-tensors folder))
         (names (hash-keys table)))
    (for-each (lambda (name)
                (when (any (lambda (end) (string-suffix? end name))
                           '(".rotary_emb.inv_freq" ".attn.bias"
                             ".attn.masked_bias" ".attention.masked_bias"
                             ".attention.bias"))
                  (hash-delete! table name)))
              names)
    (let ((without (find (lambda (entry) (hash-has-key? table (car entry)))
                         %names-without-prefix)))
      (if without
          (%table-of (map (lambda (entry)
                            (cons (string (cdr without) (car entry))
                                  (cdr entry)))
                          (hash->list table)))
          table))))

;; Tables of tokens as models without a head name them, and what is missing.
(define %names-without-prefix
  '(("wte.weight" . "transformer.")
    ("word_embeddings.weight" . "transformer.")
    ("decoder.embed_tokens.weight" . "model.")))

;; Layers that predict several tokens at once.

(define (%without-predictors table config)
  "The table of tensors without those of layers after the last, and of others,
  by which some models predict several tokens; returns the table."
  (let ((layers (%config-count config "num_hidden_layers" 0))
        (more (%config-count config "num_nextn_predict_layers" 0)))
    (for-each
     (lambda (name)
       (when (or (string-prefix? "mtp." name)
                 (any (lambda (k)
                        (string-prefix? (format "model.layers.~a." (+ layers k))
                                        name))
                      (range more)))
         (hash-delete! table name)))
     (hash-keys table))
    table))

(define (%loading-progress progress)
  "The procedure that shows how many tensors are loaded, or #f."
  (cond ((not progress) #f)
        ((procedure? progress) progress)
        (else
         (lambda (done all)
           (write-string (format "\rloading: ~a of ~a tensors" done all)
                         (current-error-port))
           (when (= done all) (newline (current-error-port)))
           (flush-output-port (current-error-port))))))

(define (%loaded-dtype config dtype)
  "The dtype of a model: the one asked for, or that of its files."
  (let* ((written (config-ref config "dtype"
                              (config-ref config "torch_dtype" "float32")))
         (name (or dtype written))
         (found (assoc (if (symbol? name) (symbol->string name) name)
                       '(("float32" . float32) ("float16" . float16)
                         ("bfloat16" . bfloat16) ("float64" . float64)
                         ("f32" . float32) ("f16" . float16)
                         ("bf16" . bfloat16) ("f64" . float64)))))
    (cond (found (cdr found))
          (dtype (wrong-type "load-llm" "float32, float16 or bfloat16 for dtype"
                             dtype))
          (else (%bad-setting "dtype" "float32, float16 or bfloat16"
                              written)))))

(define (%builder config architectures)
  "The procedure that builds a model from its settings."
  (let* ((names (%architecture-names config))
         (known (append architectures (%known-architectures)))
         (found (find (lambda (each) (member (%architecture-type each) names))
                      known)))
    (unless found
      (%error-with-hint
       (format "~a: unknown architecture ~a; known are ~a"
               (or (%settings-source) "load-llm")
               (if (null? names)
                   "without a model_type"
                   (string-join (map %shown-setting names) ", "))
               (string-join (map %architecture-type known) ", "))
       '() "load-encoder and load-seq2seq read models of other kinds; \
:architectures (list (architecture \"type\" build)) adds one"))
    (%architecture-build found)))

(define (%architecture-names config)
  "The names by which settings say what architecture they are of."
  (let ((type (%config-name config "model_type" #f)))
    (append (%config-list config "architectures" string? "a list of strings")
            (if type (list type) '()))))

(define (new-llm settings :dtype #f :architectures '())
  "A language model with random weights, as before training.  settings: a hash
  table or an alist, as in config.json; its \"model_type\" names the
  architecture.  dtype and architectures are those of load-llm."
  (let ((config (cond ((hash-table? settings) (hash-copy settings))
                      ((and (list? settings) (every pair? settings))
                       (%table-of settings))
                      (else (wrong-type "new-llm" "a hash table or an alist"
                                        settings)))))
    (let ((model (%built-model config (%loaded-dtype config dtype)
                               architectures)))
      (hash-set! config "dtype" (string (model-dtype model)))
      (%initialize! model (inexact (%config-rate config "initializer_range"
                                                 0.02)))
      model)))

(define (%built-model config dtype architectures)
  "The model of the settings, whose matrices have no values yet."
  (let ((build (%builder config architectures)))
    (%config-rope config)             ; also settings that this model ignores
    (to! (parameterize ((%weight-dtype dtype)) (build config)) dtype)))

(define (%initialize! model deviation)
  "Give the matrices of a model normally distributed values."
  (no-grad
    (for-each (lambda (x)
                (when (> (tensor-rank x) 1)
                  (tensor-normal! (detach x) 0.0 deviation)))
              (parameters model))))
