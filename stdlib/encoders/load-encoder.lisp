;; load-encoder.lisp - encoders from folders in Hugging Face's layout, and how
;; the names of their weights differ between families.

(define (load-encoder folder :dtype #f :device #f)
  "The encoder of the BERT family in a folder of Hugging Face's layout:
  config.json and safetensors files of BERT, RoBERTa, XLM-RoBERTa, DistilBERT, or
  models of the same structure.

  Files are mapped: a tensor is read when it is first used, and only one that
  must be converted is copied.  A folder of sentence-transformers may hold a
  language model, too, such as Qwen3's: its last states are those of the
  encoder.  Layers on top that the library does not know, such as those of
  classifiers, are left out.  A folder of sentence-transformers also says what
  embed does with the states.  dtype: that of the weights, float32 unless given.
  The model is in evaluation mode.  A weight that is missing or of another shape
  is an error."
  (%check-string "load-encoder" folder)
  (unless (%sentence-modules folder)
    (%check-model-folder "load-encoder" folder ""))
  (let* ((modules (%sentence-modules folder))
         (whole folder)
         (folder (if modules (%transformer-folder folder modules) folder))
         (config (%read-config "load-encoder" folder)))
    (if (and modules (not (%encoder-type? config)))
        (%load-decoder-encoder whole folder modules dtype device)
        (%load-bert whole folder modules config dtype device))))

(define (%encoder-type? config)
  "Whether the settings are those of an encoder of the BERT family."
  (and (%family-of (hash-ref config "model_type" #f)) #t))

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

(define (%load-bert whole folder modules config dtype device)
  "The encoder of the BERT family in a folder."
  (let ((table (load-tensors folder)))
    (parameterize ((%settings-source
                    (%settings-of-folder "load-encoder" folder)))
      (let* ((family (%encoder-family config))
             (prefix (%encoder-prefix table family))
             (model (begin
                      (%check-plausible config table #f)
                      (%blank-encoder config family table prefix
                                      (or dtype 'float32))))
             (names (lambda (name) (%encoder-name family prefix name))))
        (%use-tensors! "load-encoder" (format "~s" folder) model
                       (%tensors-named table (map names (%own-names model)))
                       :rules (list names) :dtype (or dtype 'float32))
        (when modules
          (set-bert-sentence! model
                              (%sentence-head whole folder modules
                                              (or dtype 'float32))))
        (when device (to! model device))
        (eval-mode! model)))))

;; Whether layers get no initial values, because a file is going to fill them.
(define %blank-layers (make-parameter #f))

(define (%encoder-linear in out)
  "A linear layer of an encoder."
  (if (%blank-layers) (blank-linear in out :bias #t) (linear in out)))

(define (%encoder-table rows width)
  "A table of vectors of an encoder."
  (if (%blank-layers) (blank-embedding rows width) (embedding rows width)))

(define (%own-names model)
  (map car (state-dict model)))

(define (%tensors-named table names)
  "The tensors of a table that have one of the names."
  (let ((found (make-hash-table)))
    (for-each (lambda (name)
                (when (hash-has-key? table name)
                  (hash-set! found name (hash-ref table name))))
              names)
    found))

(define (%encoder-family config)
  "bert, roberta or distilbert."
  (let ((type (config-ref config "model_type" 'null)))
    (or (%family-of type)
        (%bad-setting "model_type" "bert, roberta, xlm-roberta, camembert \
or distilbert" type))))

(define (%family-of type)
  "The family of a model_type, or #f."
  (cond ((equal? type "bert") 'bert)
        ((member type '("roberta" "xlm-roberta" "camembert")) 'roberta)
        ((equal? type "distilbert") 'distilbert)
        (else #f)))

(define (%blank-encoder config family table prefix dtype)
  "The model that the settings describe, with the layers on top that are in the
  table of weights; its matrices have no values yet."
  (define distil (eq? family 'distilbert))
  (define (key usual distilled) (if distil distilled usual))
  (define (has? name)
    (hash-has-key? table (%encoder-name family prefix name)))
  (let* ((padding (%config-count config "pad_token_id" 0))
         (width-key (key "hidden_size" "dim"))
         (width (%config-size config width-key))
         (first (if (eq? family 'roberta) (+ padding 1) 0))
         (context (%config-size config "max_position_embeddings" 512)))
    (unless (< first context)
      (%bad-setting "pad_token_id" (format "an integer below ~a" (- context 1))
                    padding))
    (parameterize ((%weight-dtype dtype) (%blank-layers #t))
      (bert :vocabulary (%config-size config "vocab_size")
            :width width
            :layers (%config-size config (key "num_hidden_layers" "n_layers"))
            :heads (%dividing-count config (key "num_attention_heads" "n_heads")
                                    width width-key)
            :hidden (%config-size config (key "intermediate_size" "hidden_dim"))
            :context context
            :types (if distil 0 (%config-count config "type_vocab_size" 2))
            :eps (%config-number config "layer_norm_eps" 1e-12)
            :drop-rate (%config-rate config
                                     (key "hidden_dropout_prob" "dropout") 0.1)
            :activation (%config-name config (key "hidden_act" "activation")
                                      "gelu")
            :first-position first
            :padding-id padding
            :pooler (has? "pooler.weight")
            :head (has? "head.dense.weight")
            :config config))))

;; Names.  Each family has a list of ours and theirs, by the last parts of a
;; name: "layers.0.query.weight" is "encoder.layer.0.attention.self.query.weight".

(define %bert-names
  '(("words" . "embeddings.word_embeddings")
    ("positions" . "embeddings.position_embeddings")
    ("type_vectors" . "embeddings.token_type_embeddings")
    ("norm" . "embeddings.LayerNorm")
    ("pooler" . "pooler.dense")
    ("layer.query" . "attention.self.query")
    ("layer.key" . "attention.self.key")
    ("layer.value" . "attention.self.value")
    ("layer.attention_out" . "attention.output.dense")
    ("layer.attention_norm" . "attention.output.LayerNorm")
    ("layer.widen" . "intermediate.dense")
    ("layer.narrow" . "output.dense")
    ("layer.norm" . "output.LayerNorm")
    ("layers" . "encoder.layer")))

(define %distilbert-names
  '(("words" . "embeddings.word_embeddings")
    ("positions" . "embeddings.position_embeddings")
    ("norm" . "embeddings.LayerNorm")
    ("layer.query" . "attention.q_lin")
    ("layer.key" . "attention.k_lin")
    ("layer.value" . "attention.v_lin")
    ("layer.attention_out" . "attention.out_lin")
    ("layer.attention_norm" . "sa_layer_norm")
    ("layer.widen" . "ffn.lin1")
    ("layer.narrow" . "ffn.lin2")
    ("layer.norm" . "output_layer_norm")
    ("layers" . "transformer.layer")))

;; The heads of masked language models stand beside the encoder in a file.
(define %head-names
  '((bert ("dense" . "cls.predictions.transform.dense")
          ("norm" . "cls.predictions.transform.LayerNorm")
          ("bias" . "cls.predictions.bias"))
    (roberta ("dense" . "lm_head.dense")
             ("norm" . "lm_head.layer_norm")
             ("bias" . "lm_head.bias"))
    (distilbert ("dense" . "vocab_transform")
                ("norm" . "vocab_layer_norm")
                ("bias" . "vocab_projector.bias"))))

(define (%encoder-name family prefix name)
  "The name in a file of a weight of the model."
  (let ((names (if (eq? family 'distilbert) %distilbert-names %bert-names))
        (parts (string-split name ".")))
    (define (theirs key) (cdr (assoc key names)))
    (define (rest-of parts) (string-join parts "."))
    (cond ((string=? (car parts) "head")
           (let ((found (assoc (cadr parts)
                               (cdr (assq family %head-names)))))
             (rest-of (cons (cdr found) (cddr parts)))))
          ((string=? (car parts) "layers")
           (string-append
            prefix
            (rest-of (cons* (theirs "layers") (cadr parts)
                            (theirs (string-append "layer." (caddr parts)))
                            (cdddr parts)))))
          ((assoc (car parts) names)
           => (lambda (found)
                (string-append prefix (rest-of (cons (cdr found)
                                                     (cdr parts))))))
          (else (string-append prefix name)))))

(define (%encoder-prefix table family)
  "What stands before the names of the encoder: \"bert.\" in the file of a model
  that has more than the encoder."
  (let ((prefix (string-append (symbol->string family) ".")))
    (if (hash-has-key? table
                       (string-append prefix
                                      "embeddings.word_embeddings.weight"))
        prefix
        "")))
