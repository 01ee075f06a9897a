;; save-llm.lisp - language models in folders of Hugging Face's layout.
;;
;;     (save-llm model "tuned" :tokenizer tokenizer)
;;     =>  tuned/config.json  model.safetensors  tokenizer.json ...
;;
;; Names are those of Hugging Face's files: the model's rules of loading, the
;; other way.  A quantized model keeps its own names, and its settings say so.

(define (save-llm model folder :tokenizer #f :dtype #f
                  :shard-bytes 5000000000)
  "Write a language model as a folder that load-llm reads, and Hugging Face's
  transformers unless it is quantized.

  tokenizer: a tokenizer, or the path of a folder whose tokenizer files are
  copied.  dtype: of the weights, the model's unless given.  shard-bytes: the
  tensors are put in several files, with an index, if they take more."
  (%check-language-model "save-llm" model)
  (unless (string? folder)
    (wrong-type "save-llm" "the path of a folder" folder))
  (unless (and (exact-integer? shard-bytes) (> shard-bytes 0))
    (wrong-type "save-llm" "a positive integer for shard-bytes" shard-bytes))
  (%refuse-adapters "save-llm" model)
  (let* ((source (and tokenizer (%tokenizer-folder tokenizer)))
         (integers? (any (lambda (entry) (quantized-layer? (cdr entry)))
                         (named-modules model)))
         (rules (if integers? '() (decoder-rules model)))
         (saved (car (%once-each (%saved-tensors model rules "")))))
    (make-folder folder)
    (%save-in-dtype folder saved (and (not integers?) dtype) shard-bytes)
    (%save-config folder model (or dtype (model-dtype model)) integers?)
    (when source (%copy-tokenizer-files source folder))))

(define (%refuse-adapters who model)
  "Raise an error for a model with adapters: other programs do not know their
  names."
  (when (pair? (%adapters model))
    (%error-with-hint
     (string who ": the model has adapters") '()
     (string "(remove-lora! (merge-lora! model)) leaves what they learned in "
             "the weights; (save-adapters folder model) saves them alone"))))

(define (%save-config folder model dtype integers?)
  "Write config.json."
  (let ((config (hash-copy (model-config model))))
    (hash-set! config "dtype" (string dtype))
    (hash-delete! config "torch_dtype")
    (when (%has-own-head? model) (hash-set! config "tie_word_embeddings" #f))
    (%add-class! config)
    (when integers? (hash-set! config "lambent_quantization" #t))
    (%write-text-file (string folder "/config.json")
                      (string (json->string config :indent 2) "\n"))))

(define (%has-own-head? model)
  "Whether the head is another matrix than the table of tokens."
  (let ((head (and (decoder? model) (decoder-lm-head model)))
        (tokens (and (decoder? model) (decoder-embed-tokens model))))
    (and (linear? head) (embedding? tokens)
         (not (eq? (linear-weight head) (embedding-weight tokens))))))

(define (%add-class! config)
  "Name the class of transformers that reads the model, if no setting does."
  (let ((known (assoc (hash-ref config "model_type" #f) (%known-decoders))))
    (when (and known (not (hash-has-key? config "architectures")))
      (hash-set! config "architectures" (list (cadr known))))))

(define (%write-text-file path text)
  (call-with-output-file path (lambda (port) (write-string text port))))

;; Tensors.

(define (%save-in-dtype folder entries dtype limit)
  "Write the tensors, floating-point ones in a dtype unless it is #f."
  (%save-shards folder
                (map (lambda (entry)
                       (cons (car entry)
                             (tensor-contiguous
                              (detach (%in-dtype (cdr entry) dtype)))))
                     entries)
                limit))

(define (%save-shards folder entries limit)
  "Write the tensors as one file, or as several with an index.  What an earlier
  save has left that would hide them is removed."
  (let* ((shards (%shards entries limit))
         (count (length shards))
         (name (lambda (k)
                 (if (= count 1)
                     "model.safetensors"
                     (string "model-" (%five-digits (+ k 1)) "-of-"
                             (%five-digits count) ".safetensors")))))
    (for-each (lambda (shard k)
                (save-tensors (string folder "/" (name k)) shard
                              :metadata '(("format" . "pt"))))
              shards (iota count))
    (let ((index (string folder "/model.safetensors.index.json"))
          (single (string folder "/model.safetensors")))
      (cond ((> count 1)
             (%write-text-file index (%index-text entries shards name))
             (when (file-exists? single) (delete-file single)))
            ((file-exists? index) (delete-file index))))))

(define (%shards entries limit)
  "The entries in lists that take at most that many bytes each, or have just
  one tensor."
  (let loop ((left entries) (shard '()) (bytes 0) (shards '()))
    (cond ((null? left)
           (reverse (if (null? shard) shards (cons (reverse shard) shards))))
          ((and (pair? shard)
                (> (+ bytes (%bytes-of (cdar left))) limit))
           (loop left '() 0 (cons (reverse shard) shards)))
          (else
           (loop (cdr left) (cons (car left) shard)
                 (+ bytes (%bytes-of (cdar left))) shards)))))

(define (%bytes-of x)
  "How many bytes the elements of a tensor take."
  (* (tensor-numel x) (tensor-element-size x)))

(define (%five-digits k)
  (string-pad-left (number->string k) 5 #\0))

(define (%index-text entries shards name)
  "The index of the files: which has each tensor."
  (let ((files (make-hash-table)) (index (make-hash-table)))
    (for-each (lambda (shard k)
                (for-each (lambda (entry)
                            (hash-set! files (car entry) (name k)))
                          shard))
              shards (iota (length shards)))
    (hash-set! index "metadata"
               (%table-of
                (list (cons "total_size"
                            (apply + (map (lambda (entry)
                                            (%bytes-of (cdr entry)))
                                          entries))))))
    (hash-set! index "weight_map" files)
    (string (json->string index :indent 2) "\n")))

;; Tokenizers.

(define %tokenizer-files
  '("tokenizer.json" "tokenizer.model" "tokenizer_config.json"
    "special_tokens_map.json" "added_tokens.json" "vocab.json" "merges.txt"
    "vocab.txt" "chat_template.jinja" "generation_config.json"))

(define (%tokenizer-folder tokenizer)
  "The folder that a path names, or from which a tokenizer was read."
  (let ((source (if (string? tokenizer)
                    tokenizer
                    (%tokenizer-source "save-llm" tokenizer))))
    (unless (folder? source)
      (error "save-llm: expected a tokenizer or a folder with its files, got"
             source))
    source))

(define (%copy-tokenizer-files source folder)
  "Copy the tokenizer files of one folder to another."
  (for-each (lambda (name)
              (let ((path (string source "/" name)))
                (when (and (file-exists? path) (not (equal? source folder)))
                  (%copy-file path (string folder "/" name)))))
            %tokenizer-files))

(define (%tokenizer-source who tokenizer)
  "The folder or GGUF file from which a tokenizer was read."
  (let ((found (assq 'source (%tokenizer-field who tokenizer 3))))
    (unless found
      (%error-with-hint
       (string who ": the tokenizer was not read from a folder") '()
       "pass the path of a folder with tokenizer files as :tokenizer"))
    (cdr found)))

(define (%copy-file from to)
  "Copy the bytes of a file."
  (call-with-port (open-binary-input-file from)
    (lambda (in)
      (call-with-port (open-binary-output-file to)
        (lambda (out)
          (let loop ()
            (let ((bytes (read-bytevector 65536 in)))
              (unless (eof-object? bytes)
                (write-bytevector bytes out)
                (loop)))))))))
