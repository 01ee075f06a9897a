;; load-encoder.lisp - encoders from folders in Hugging Face's layout, and how
;; the names of their weights differ between families.

(define (load-encoder folder :dtype #f :device #f)
  "The encoder of the BERT family in a folder of Hugging Face's layout:
  config.json and safetensors files of BERT, RoBERTa, XLM-RoBERTa, DistilBERT, or
  models of the same structure.

  Layers on top that the library does not know, such as those of classifiers, are
  left out.  dtype: that of the weights, float32 unless given.  The model is in
  evaluation mode.  A weight that is missing or of another shape is an error."
  (%check-string "load-encoder" folder)
  (let* ((config (%encoder-config folder))
         (family (%encoder-family config))
         (table (load-tensors folder))
         (prefix (%encoder-prefix table family))
         (model (%blank-encoder config family table prefix)))
    (when dtype (to! model dtype))
    (let ((names (lambda (name) (%encoder-name family prefix name))))
      (%load-planned!
       (%plan-loading "load-encoder" (format "~s" folder) model
                      (%tensors-named table (map names (%own-names model)))
                      "" (list names) #t #t)))
    (when device (to! model device))
    (eval-mode! model)))

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

(define (%encoder-config folder)
  "The settings in config.json: a hash table."
  (let ((path (string-append folder "/config.json")))
    (unless (file-exists? path)
      (%error-with-hint
       (format "load-encoder: ~s has no config.json" folder) '()
       "a folder in Hugging Face's layout has config.json and \
model.safetensors"))
    (let ((config (read-json path)))
      (unless (hash-table? config)
        (error (format "load-encoder: expected an object in ~s" path)))
      config)))

(define (%encoder-family config)
  "bert, roberta or distilbert."
  (let ((type (hash-ref config "model_type" #f)))
    (cond ((equal? type "bert") 'bert)
          ((member type '("roberta" "xlm-roberta" "camembert")) 'roberta)
          ((equal? type "distilbert") 'distilbert)
          (else
           (error "load-encoder: config.json: expected bert, roberta, \
xlm-roberta, camembert or distilbert as model_type, got" type)))))

(define (%encoder-size config key . default)
  "A setting that must be a positive integer of a plausible size."
  (let ((value (apply hash-ref config key (if (pair? default) default '(#f)))))
    (unless (and (exact-integer? value) (< 0 value 100000000))
      (error (format "load-encoder: config.json: expected a positive integer for \
~s, got" key)
             value))
    value))

(define (%encoder-number config key default)
  "A setting that must be a number from 0 up."
  (let ((value (hash-ref config key default)))
    (unless (and (real? value) (>= value 0))
      (error (format "load-encoder: config.json: expected a number for ~s, got"
                     key)
             value))
    value))

(define (%blank-encoder config family table prefix)
  "The model that the settings describe, with the layers on top that are in the
  table of weights."
  (define distil (eq? family 'distilbert))
  (define (key usual distilled) (if distil distilled usual))
  (define (has? name)
    (hash-has-key? table (%encoder-name family prefix name)))
  (let ((padding (hash-ref config "pad_token_id" 0)))
    (bert :vocabulary (%encoder-size config "vocab_size")
          :width (%encoder-size config (key "hidden_size" "dim"))
          :layers (%encoder-size config (key "num_hidden_layers" "n_layers"))
          :heads (%encoder-size config (key "num_attention_heads" "n_heads"))
          :hidden (%encoder-size config (key "intermediate_size" "hidden_dim"))
          :context (%encoder-size config "max_position_embeddings" 512)
          :types (if distil 0 (%encoder-size config "type_vocab_size" 2))
          :eps (%encoder-number config "layer_norm_eps" 1e-12)
          :drop-rate (%encoder-number config (key "hidden_dropout_prob" "dropout")
                                 0.1)
          :activation (hash-ref config (key "hidden_act" "activation") "gelu")
          :first-position (if (eq? family 'roberta) (+ padding 1) 0)
          :padding-id (if (exact-integer? padding) padding 0)
          :pooler (has? "pooler.weight")
          :head (has? "head.dense.weight")
          :config config)))

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
