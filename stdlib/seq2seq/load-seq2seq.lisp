;; load-seq2seq.lisp - models with an encoder and a decoder from folders in
;; Hugging Face's layout, and back.

(define (load-seq2seq folder :dtype #f :device #f :bits #f :progress #f)
  "The model with an encoder and a decoder in a folder of Hugging Face's layout:
  config.json and safetensors files.

  The keywords are those of load-llm, as is how files are mapped and checked.
  generation_config.json, if there is one, says what generate does unless it is
  told otherwise: first tokens, forced ones, and those that never come.

  (generate (load-seq2seq \"t5\") (load-tokenizer \"t5\") \"summarize: ...\")"
  (%check-string "load-seq2seq" folder)
  (when bits (%check-bits "load-seq2seq" bits))
  (%check-model-folder "load-seq2seq" folder "Seq2SeqLM")
  (let* ((config (%read-config "load-seq2seq" folder))
         (table (load-tensors folder))
         (progress (%loading-progress progress)))
    (parameterize ((%settings-source
                    (%settings-of-folder "load-seq2seq" folder)))
      (let* ((dtype (%loaded-dtype config dtype))
             (model (begin
                      (%check-plausible-seq2seq config table)
                      (%built-seq2seq config dtype))))
        (%set-generation-settings! model folder)
        (%use-own-head! model table)
        (%drop-copies! model table)
        (%fill-bias! model table)
        (%fill-positions! model table)
        (%use-tensors! "load-seq2seq" (format "~s" folder) model table
                       :rules (seq2seq-rules model) :dtype dtype
                       :progress progress
                       :filled (and bits (%quantize-when-filled model bits)))
        (when bits (quantize-model! model :bits bits))
        (when device (to! model device))
        (eval-mode! model)))))

(define (%built-seq2seq config dtype)
  "The model of the settings, whose matrices have no values yet."
  (let* ((type (%config-name config "model_type" #f))
         (found (assoc type (%known-seq2seq))))
    (unless found
      (%error-with-hint
       (format "~a: unknown architecture ~a; known are ~a"
               (or (%settings-source) "load-seq2seq") (%shown-setting type)
               (string-join (map car (%known-seq2seq)) ", "))
       '() (if (assoc type (%known-decoders))
               "load-llm loads it"
               "load-llm and load-encoder load models of other kinds")))
    (to! (parameterize ((%weight-dtype dtype)) ((caddr found) config)) dtype)))

(define (%check-plausible-seq2seq config table)
  "Raise an error for settings by which the model would be much larger than its
  files."
  (%check-plausible config table #f)
  (let ((largest (fold (lambda (x most) (apply max most (tensor-shape x)))
                       1 (filter tensor? (hash-values table)))))
    (define (check most what keys)
      (for-each
       (lambda (key)
         (let ((value (%config-size config key 1)))
           (when (> value most)
             (%settings-error (format "~s is ~a, but ~a is ~a" key value what
                                      most)))))
       keys))
    (check (hash-size table) "the number of tensors in the files"
           '("num_layers" "num_decoder_layers" "encoder_layers"
             "decoder_layers"))
    (check largest "the largest size of a tensor in the files"
           '("d_model" "d_ff" "encoder_ffn_dim" "decoder_ffn_dim"
             "decoder_vocab_size" "num_heads" "d_kv"
             "encoder_attention_heads" "decoder_attention_heads"))))

(define (%set-generation-settings! model folder)
  "Let the model have the settings of generation_config.json."
  (let ((path (%beside folder "generation_config.json")))
    (when (file-exists? path)
      (let ((table (read-json path)))
        (unless (hash-table? table)
          (error (format "load-seq2seq: expected an object in ~s" path)))
        (set-seq2seq-settings! model table)))))

(define (%decoder-settings config context)
  "The settings of the decoder as those of a language model."
  (let ((own (hash-copy config)))
    (hash-delete! own "n_positions")
    (hash-set! own "max_position_embeddings" context)
    (when (hash-has-key? config "decoder_vocab_size")
      (hash-set! own "vocab_size" (%config-size config "decoder_vocab_size"
                                                (%config-size config
                                                              "vocab_size"))))
    own))

;; Older files have the table of tokens several times, and positions that are
;; computed; a head that is tied by
;; the settings, but differs in the files, is a matrix of its own.

(define (%seq2seq-saved-name model name)
  "The name in files of a weight of the model."
  (car (%link-saved (car (%links "load-seq2seq" (list name)
                                 (seq2seq-rules model) "")))))

(define (%use-own-head! model table)
  "Give a tied head a matrix of its own if the files have another for it."
  (let* ((decoder (seq2seq-decoder model))
         (head (decoder-lm-head decoder))
         (shared (hash-ref table (%seq2seq-saved-name model
                                              "decoder.embed_tokens.weight")
                           #f))
         (own (hash-ref table (%seq2seq-saved-name model "decoder.lm_head.weight") #f)))
    (when (and own shared
               (eq? (linear-weight head)
                    (embedding-weight (decoder-embed-tokens decoder)))
               (equal? (tensor-shape own) (tensor-shape shared))
               (not (tensor-equal own shared)))
      (set-linear-weight! head (tensor-empty (tensor-shape own)
                                             :dtype (tensor-dtype
                                                     (linear-weight head)))))))

(define %copied-names
  '("model.encoder.embed_positions.weight"
    "model.decoder.embed_positions.weight" "encoder.embed_tokens.weight" "decoder.embed_tokens.weight"
    "model.encoder.embed_tokens.weight" "model.decoder.embed_tokens.weight"
    "lm_head.weight"))

(define (%drop-copies! model table)
  "Remove the copies of the table of tokens from the tensors of a folder; where
  the table itself is missing, one of them is it."
  (let* ((known (map car (%saved-tensors model (seq2seq-rules model) "")))
         (shared (find (lambda (name) (string-suffix? "shared.weight" name))
                       known)))
    (for-each
     (lambda (name)
       (when (and (hash-has-key? table name) (not (member name known)))
         (when (and shared (not (hash-has-key? table shared))
                    (not (string-contains name "positions")))
           (hash-set! table shared (hash-ref table name)))
         (hash-delete! table name)))
     %copied-names)))

(define (%fill-bias! model table)
  "Let a bias of logits that the files lack be zero."
  (let ((bias (seq2seq-logits-bias model)))
    (when (and (tensor? bias) (not (hash-has-key? table "final_logits_bias")))
      (hash-set! table "final_logits_bias" (tensor-zeros-like bias)))))

(define (%fill-positions! model table)
  "Let tables of positions that the files lack have their usual values."
  (for-each
   (lambda (entry)
     (let ((part (cdr entry)))
       (when (and (learned-positions? part) (learned-positions-usual part))
         (let ((name (%seq2seq-saved-name
                      model (string (car entry) ".table.weight"))))
           (unless (hash-has-key? table name)
             (hash-set! table name ((learned-positions-usual part))))))))
   (named-modules model)))

(define (save-seq2seq model folder :tokenizer #f :dtype #f
                      :shard-bytes 5000000000)
  "Write a model with an encoder and a decoder as a folder that load-seq2seq and
  Hugging Face's transformers read.  The keywords are those of save-llm."
  (%check-seq2seq "save-seq2seq" model)
  (%check-string "save-seq2seq" folder)
  (when (any (lambda (entry) (quantized-layer? (cdr entry)))
             (named-modules model))
    (%error-with-hint
     "save-seq2seq: a quantized model with an encoder and a decoder cannot be \
saved" '() "save the model as it was loaded, and load it with :bits"))
  (%refuse-adapters "save-seq2seq" model)
  (let ((source (and tokenizer (%tokenizer-folder tokenizer)))
        (config (hash-copy (seq2seq-config model)))
        (dtype (or dtype (model-dtype (seq2seq-decoder model)))))
    (make-folder folder)
    (%save-in-dtype folder
                    (car (%once-each
                          (%saved-tensors model (seq2seq-rules model) "")))
                    dtype shard-bytes)
    (hash-set! config "dtype" (string dtype))
    (hash-delete! config "torch_dtype")
    (%write-json-file (%beside folder "config.json") config)
    (%write-json-file (%beside folder "generation_config.json")
                      (seq2seq-settings model))
    (when source (%copy-tokenizer-files source folder))))

(define (%write-json-file path table)
  (%write-text-file path (string (json->string table :indent 2) "\n")))
