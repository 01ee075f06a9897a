;; save-encoder.lisp - encoders and classifiers in folders of Hugging Face's
;; layout.

(define (save-encoder model folder :tokenizer #f :dtype #f
                      :shard-bytes 5000000000)
  "Write an encoder or a classifier of texts as a folder that load-encoder or
  load-classifier reads, and Hugging Face's transformers.

  tokenizer: a tokenizer, or the path of a folder whose tokenizer files are
  copied.  dtype: of the weights, the model's unless given.  shard-bytes: the
  tensors are put in several files, with an index, if they take more.  What a
  folder of sentence-transformers says besides is not written."
  (unless (or (text-encoder? model) (classifier? model))
    (wrong-type "save-encoder" "a text-encoder or a classifier" model))
  (unless (string? folder)
    (wrong-type "save-encoder" "the path of a folder" folder))
  (unless (and (exact-integer? shard-bytes) (> shard-bytes 0))
    (wrong-type "save-encoder" "a positive integer for shard-bytes"
                shard-bytes))
  (%refuse-adapters "save-encoder" model)
  (let ((source (and tokenizer (%tokenizer-folder tokenizer)))
        (saved (car (%once-each (%encoder-entries model)))))
    (make-folder folder)
    (%save-in-dtype folder saved dtype shard-bytes)
    (%save-encoder-config folder model
                          (or dtype (tensor-dtype (cdar saved))))
    (when source (%copy-tokenizer-files source folder))))

(define (%encoder-entries model)
  "The tensors of a model as its file has them: an encoder that is saved alone
  has names without a prefix."
  (%saved-tensors model
                  (cond ((classifier? model) (classifier-rules model))
                        ((text-encoder-word-head model)
                         (text-encoder-rules model))
                        (else (%rules-for-table model (make-hash-table))))
                  ""))

(define (%save-encoder-config folder model dtype)
  "Write config.json, with the class of transformers that reads the model."
  (let* ((config (hash-copy (if (classifier? model)
                                (classifier-config model)
                                (text-encoder-config model))))
         (entry (%encoder-entry (hash-ref config "model_type" #f)))
         (class (cond ((classifier? model)
                       (cdr (assq (classifier-task model) %encoder-tasks)))
                      ((text-encoder-word-head model) "ForMaskedLM")
                      (else "Model"))))
    (hash-set! config "dtype" (string dtype))
    (hash-delete! config "torch_dtype")
    (when entry
      (hash-set! config "architectures" (list (string (cadr entry) class))))
    (%write-text-file (string folder "/config.json")
                      (string (json->string config :indent 2) "\n"))))
