;; load-encoder.lisp - encoders from folders in Hugging Face's layout, and new
;; ones.

(define (load-encoder folder :dtype #f :device #f :architectures '())
  "The encoder of texts in a folder of Hugging Face's layout: config.json and
  safetensors files of BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT, MPNet, DeBERTa
  v2 and v3, ModernBERT, Nomic BERT, GTE, EuroBERT, or models of the same
  structure.

  Files are mapped: a tensor is read when it is first used, and only one that
  must be converted is copied.  A folder of sentence-transformers may hold a
  language model, too, such as Qwen3's: its last states are those of the
  encoder.  Layers on top are left out, but for the head of masked-logits and the
  pooler: load-classifier reads those for labels.  A folder of
  sentence-transformers also says what embed does with the states.  dtype: that
  of the weights, float32 unless given.  architectures: encoders that the program
  defines (see architecture); they return a text-encoder.  The model is in
  evaluation mode.  A weight that is missing or of another shape is an error.

  A folder may be quantized by the methods that load-llm reads: weights become
  floats, exactly those that the method defines; quantize-model! makes integers of
  them again.  A language model of sentence-transformers keeps its integers."
  (%check-string "load-encoder" folder)
  (unless (%sentence-modules folder)
    (%check-model-folder "load-encoder" folder ""))
  (let* ((modules (%sentence-modules folder))
         (whole folder)
         (folder (if modules (%transformer-folder folder modules) folder))
         (config (%read-config "load-encoder" folder)))
    (if (and modules
             (not (%encoder-entry (hash-ref config "model_type" #f)))
             (null? architectures))
        (%load-decoder-encoder whole folder modules dtype device)
        (%folder-encoder whole folder modules config dtype device
                         architectures))))

;; A language model whose states are pooled.  Texts are padded at the right,
;; where no token before can see the padding.
(define-module (decoder-encoder decoder :sentence #f)
  "The encoder of a language model: ids [n, t] int64 -> its last states [n, t,
  width], each of which depends on the tokens up to it.  mask is not needed:
  padding stands at the right."
  ((decoder decoder)
   (sentence sentence))
  (forward (ids :mask #f) (hidden-states decoder ids)))

(define (%load-decoder-encoder whole folder modules dtype device)
  "The encoder of a folder of sentence-transformers with a language model."
  (decoder-encoder
   (eval-mode! (load-llm folder :dtype (or dtype 'float32) :device device))
   :sentence (%sentence-head whole folder modules (or dtype 'float32))))

(define (%folder-encoder whole folder modules config dtype device architectures)
  "The encoder in a folder."
  (let ((dtype (or dtype 'float32)))
    (parameterize ((%settings-source
                    (%settings-of-folder "load-encoder" folder)))
      (let* ((table (%encoder-tensors folder config))
             (model (%blank-encoder config table dtype architectures)))
        (%drop-absent-parts! model table)
        (%fill-encoder! "load-encoder" folder model table dtype
                        (%rules-for-table model table))
        (when modules
          (set-text-encoder-sentence!
           model (%sentence-head whole folder modules dtype)))
        (when device (to! model device))
        (eval-mode! model)))))

(define (%encoder-tensors folder config)
  "The tensors of a folder, of which quantized ones become floats.  Old files call
  the parts of norms gamma and beta."
  (let ((table (load-tensors folder)))
    (%dequantized! table config folder)
    (if (any (lambda (name) (string-suffix? ".LayerNorm.gamma" name))
             (hash-keys table))
        (%table-of (map (lambda (entry)
                          (cons (%norm-name (car entry)) (cdr entry)))
                        (hash->list table)))
        table)))

(define (%norm-name name)
  "The name of today of a weight."
  (cond ((string-suffix? ".LayerNorm.gamma" name)
         (string (string-drop-right name 5) "weight"))
        ((string-suffix? ".LayerNorm.beta" name)
         (string (string-drop-right name 4) "bias"))
        (else name)))

(define (%blank-encoder config table dtype architectures)
  "The encoder that the settings describe, without values.  table: the tensors of
  its files, which bound what settings may say."
  (%check-plausible config table #f)
  (let ((build (%encoder-builder config architectures)))
    (to! (parameterize ((%weight-dtype dtype)) (build config)) dtype)))

(define (%rules-for-table model table)
  "The rules of loading an encoder from a table of tensors, whose names lack the
  prefix if the model was saved alone."
  (let ((rules (text-encoder-rules model))
        (prefix (text-encoder-prefix model)))
    (if (any (lambda (name) (string-prefix? prefix name)) (hash-keys table))
        rules
        (append rules (list (lambda (name)
                              (if (string-prefix? prefix name)
                                  (substring name (string-length prefix)
                                             (string-length name))
                                  name)))))))

(define (%drop-absent-parts! model table)
  "Leave out the pooler and the head for words if the tensors have none."
  (let ((rules (%rules-for-table model table)))
    (define (absent? prefix)
      (let ((names (filter (lambda (name) (string-prefix? prefix name))
                           (map car (state-dict model)))))
        (and (pair? names)
             (not (every (lambda (name) (hash-has-key? table name))
                         (%saved-names (list (car names)) rules))))))
    (when (absent? "pooler.") (set-text-encoder-pooler! model #f))
    (when (absent? "word_head.") (set-text-encoder-word-head! model #f))))

(define (%saved-names names rules)
  "The names in a file of tensors of a model."
  (append-map %link-saved (%links "load-encoder" names rules "")))

(define (%fill-encoder! who folder model table dtype rules)
  "Let a model have the tensors of a table; others in it are left out."
  (%use-tensors! who (format "~s" folder) model
                 (%tensors-named table
                                 (%saved-names (map car (state-dict model))
                                               rules))
                 :rules rules :dtype dtype))

(define (%tensors-named table names)
  "The tensors of a table that have one of the names."
  (let ((found (make-hash-table)))
    (for-each (lambda (name)
                (when (hash-has-key? table name)
                  (hash-set! found name (hash-ref table name))))
              names)
    found))

(define (new-encoder settings :dtype #f :architectures '())
  "An encoder with random weights, as before training, in training mode.
  settings: a hash table or an alist, as in config.json; its \"model_type\" names
  the family.  dtype and architectures are those of load-encoder."
  (let ((config (cond ((hash-table? settings) (hash-copy settings))
                      ((and (list? settings) (every pair? settings))
                       (%table-of settings))
                      (else (wrong-type "new-encoder" "a hash table or an alist"
                                        settings))))
        (dtype (or dtype 'float32)))
    (parameterize ((%settings-source (or (%settings-source) "new-encoder")))
      (let ((build (%encoder-builder config architectures)))
        (%initialized
         (to! (parameterize ((%weight-dtype dtype)) (build config)) dtype)
         config)))))

(define (%initialized model config)
  "The model with random weights."
  (%initialize! model (inexact (%config-rate config "initializer_range" 0.02)))
  model)
