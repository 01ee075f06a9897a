;; gguf-models.lisp - language models in GGUF files.
;;
;;     (load-llm "model-Q4_0.gguf")
;;
;; Matrices in blocks become layers of integers: Q8_0, Q5_K, Q4_0, Q4_1, Q4_K,
;; IQ4_NL, IQ4_XS, MXFP4, TQ1_0 and TQ2_0 keep theirs.  Q2_K and Q3_K stay in
;; their blocks, mapped; the others get 8 bits.  A layer whose parts have
;; different formats gets 8 bits, too.  All other tensors are floats, which are
;; mapped.

(define (%gguf-llm path dtype architectures progress)
  "The language model in a GGUF file."
  (let* ((file (%procedure "open-gguf" path))
         (shapes (%table-of (%procedure "gguf-tensors" file)))
         (config (%gguf-config path file shapes))
         (dtype (or (and dtype (%loaded-dtype config dtype))
                    (%gguf-dtype shapes)))
         (model (begin
                  (%check-gguf-plausible path config shapes)
                  (%built-model config dtype architectures)))
         (source (%make-gguf-source path file shapes config dtype
                                    (make-hash-table))))
    (hash-set! config "dtype" (string dtype))
    (%use-tensors! "load-llm" (format "~s" path) model
                   (%gguf-table source model)
                   :rules (decoder-rules model) :dtype dtype
                   :progress progress)
    model))

(define (%check-gguf-plausible path config shapes)
  "Raise an error for settings by which the model would be much larger than the
  file."
  (let ((largest (fold (lambda (entry most) (apply max most (cadr entry)))
                       1 (hash-values shapes)))
        (count (hash-size shapes)))
    (for-each
     (lambda (key)
       (let ((value (hash-ref config key 0))
             (most (if (member key '("num_hidden_layers" "n_layer"))
                       count
                       largest)))
         (unless (and (real? value) (<= 0 value most))
           (error (format "load-llm: ~s: expected a number up to ~a for the \
setting ~s, got" path most key)
                  value))))
     '("num_hidden_layers" "n_layer" "num_experts" "hidden_size" "n_embd"
       "intermediate_size" "n_inner" "num_attention_heads" "n_head"
       "num_key_value_heads" "head_dim" "moe_intermediate_size"
       "shared_expert_intermediate_size"))))

(define-record-type %gguf-source
  (%make-gguf-source path file shapes config dtype experts)
  %gguf-source?
  (path %gguf-source-path)
  (file %gguf-source-file)
  (shapes %gguf-source-shapes)
  (config %gguf-source-config)
  (dtype %gguf-source-dtype)                     ; of floats
  (experts %gguf-source-experts))                ; tensors of all experts

(define (%gguf-dtype shapes)
  "The dtype of a file's model: that of its matrices, or float32 for blocks."
  (let ((type (car (hash-ref shapes "token_embd.weight"))))
    (cond ((eq? type 'F16) 'float16)
          ((eq? type 'BF16) 'bfloat16)
          (else 'float32))))

(define (%gguf-table source model)
  "The tensors of a file by the names that the model's rules expect.  Layers of
  the model that have integers there are replaced."
  (let ((table (make-hash-table)))
    (%add-tokens! source model table)
    (for-each (lambda (link) (%add-link! source model link table))
              (%links "load-llm" (map car (state-dict model))
                      (decoder-rules model) ""))
    table))

(define (%add-link! source model link table)
  "Add the tensors of a link to the table."
  (let* ((name (car (%link-names link)))
         (module (and (null? (cdr (%link-names link)))
                      (string-suffix? ".weight" name)
                      (%linear-at model name)))
         (bits (and module
                    (every (lambda (saved) (not (hash-has-key? table saved)))
                           (%link-saved link))
                    (%gguf-bits source link))))
    (if bits
        (%add-integers! source model link table module bits)
        (for-each (lambda (saved) (%add-floats! source saved table))
                  (%link-saved link)))))

(define (%linear-at model name)
  "The linear layer whose weight has the name, or #f."
  (let ((found (assoc (substring name 0 (- (string-length name) 7))
                      (named-modules model))))
    (and found (linear? (cdr found)) (cdr found))))

(define (%gguf-find source saved)
  "The name in the file for one in Hugging Face's files, if the file has it."
  (let ((name (%gguf-name saved (hash-ref (%gguf-source-config source)
                                          "model_type"))))
    (and name (hash-has-key? (%gguf-source-shapes source) name) name)))

(define (%gguf-type source name)
  (car (hash-ref (%gguf-source-shapes source) name)))

(define (%gguf-shape source name)
  (cadr (hash-ref (%gguf-source-shapes source) name)))

(define (%gguf-heads source saved)
  "How many heads a matrix or bias of queries or keys has whose rows llama.cpp
  has reordered, or #f."
  (%gguf-reordered-heads (%gguf-source-config source) saved))

(define (%gguf-reordered-heads config saved)
  "As %gguf-heads, for the settings of a model."
  (and (member (hash-ref config "model_type")
               '("llama" "mistral" "mixtral" "smollm3" "granite" "granitemoe"
                 "granitemoeshared" "arcee"))
       (cond ((string-contains saved ".q_proj.")
              (hash-ref config "num_attention_heads" #f))
             ((string-contains saved ".k_proj.")
              (hash-ref config "num_key_value_heads"
                        (hash-ref config "num_attention_heads" #f)))
             (else #f))))

;; Integers.

;; Whose integers fit 4 bits, and 8, as a kernel reads them.
(define %gguf-types-of-4 '(Q4_0 Q4_1 Q4_K TQ1_0 TQ2_0))
(define %gguf-types-of-8 '(Q8_0 Q5_K IQ4_NL IQ4_XS MXFP4))
;; For which integers of 8 bits would take more than twice the memory.
(define %gguf-types-of-blocks '(Q2_K Q3_K))

(define (%gguf-bits source link)
  "How many bits the integers of a link get: 4 or 8; the type of blocks that
  stay; or #f for floats."
  (let* ((names (map (lambda (saved) (%gguf-find source saved))
                     (%link-saved link)))
         (types (map (lambda (name) (and name (%gguf-type source name)))
                     names)))
    (cond ((any (lambda (type) (memq type '(#f F32 F16 BF16 F64))) types) #f)
          ((and (memq (car types) %gguf-types-of-blocks)
                (every (lambda (type) (eq? type (car types))) types))
           (car types))
          ((not (every (lambda (name)
                         (zero? (remainder (car (%gguf-shape source name)) 16)))
                       (drop-right names 1)))
           #f)                                   ; parts begin within a tile
          ((not (every (lambda (type) (eq? type (car types))) types)) 8)
          ((memq (car types) %gguf-types-of-4) 4)
          (else 8))))

(define (%add-integers! source model link table module bits)
  "Replace a linear layer by one of integers, whose tensors go to the table."
  (let* ((name (car (%link-names link)))
         (parts (map (lambda (saved)
                       (if (symbol? bits)
                           (list (%gguf-blocks source saved))
                           (%gguf-integers source saved bits)))
                     (%link-saved link)))
         (minimum? (any (lambda (part) (tensor? (last part))) parts))
         (rows (tensor-size (linear-weight module) 0))
         (columns (tensor-size (linear-weight module) 1))
         (bias (tensor? (linear-bias module))))
    (replace-module! model (substring name 0 (- (string-length name) 7))
                     (if (symbol? bits)
                         (%unfilled-blocks bits columns rows bias)
                         (%unfilled-layer bits columns rows bias minimum?)))
    (for-each (lambda (saved part)
                (%add-packed! saved
                              (if (or (symbol? bits) (not minimum?))
                                  part
                                  (%with-minimum part))
                              table))
              (%link-saved link) parts)))

(define (%with-minimum packed)
  "A packed weight with minimums, zeros if it has none."
  (if (caddr packed)
      packed
      (list (car packed) (cadr packed) (tensor-zeros-like (cadr packed)))))

(define (%gguf-blocks source saved)
  "The bytes of the blocks of a matrix, uint8 [rows, bytes of a row]."
  (%procedure "gguf-blocks" (%gguf-source-file source)
              (%gguf-find source saved) (%gguf-heads source saved)))

(define (%add-packed! saved part table)
  "Add a packed weight to the table, under the name of the weight."
  (let ((base (substring saved 0 (- (string-length saved) 6))))
    (for-each (lambda (end x)
                (when (tensor? x) (hash-set! table (string base end) x)))
              (take '("weight" "scale" "minimum") (length part)) part)))

(define (%gguf-integers source saved bits)
  "The packed weight of a matrix in the file: a list of weight, scale and
  minimum or #f."
  (let* ((name (%gguf-find source saved))
         (heads (%gguf-heads source saved))
         (packed (and (or (= bits 4)
                          (memq (%gguf-type source name) %gguf-types-of-8))
                      (%procedure "gguf-packed" (%gguf-source-file source)
                                  name heads))))
    (or packed
        (append (tensor-lambent::quantize-weight
                 (%procedure "gguf-tensor" (%gguf-source-file source) name
                             'float32 heads)
                 8)
                '(#f)))))

(define (%add-tokens! source model table)
  "If the table of tokens is in blocks, let the model have it in integers, and
  the head that is tied to it."
  (let* ((name "token_embd.weight")
         (embedding (decoder-embed-tokens model))
         (head (decoder-lm-head model))
         (type (%gguf-type source name)))
    (when (and (embedding? embedding)
               (not (memq type '(F32 F16 BF16 F64))))
      (let* ((bits (if (memq type %gguf-types-of-4) 4 8))
             (saved (%gguf-saved-name model "embed_tokens.weight"))
             (packed (%gguf-integers source saved bits))
             (shape (%gguf-shape source name)))
        (when (and (linear? head)
                   (eq? (linear-weight head) (embedding-weight embedding)))
          (replace-module! model "lm_head"
                           (%layer-of-packed packed (car shape) (cadr shape)
                                             #f bits)))
        (replace-module! model "embed_tokens"
                         (quantized-embedding (car shape) (cadr shape)
                                              :packed packed
                                              :dtype (%gguf-source-dtype
                                                      source)))
        (%add-packed! saved packed table)))))

(define (%gguf-saved-name model name)
  "The name in Hugging Face's files for one of the model."
  (car (%link-saved (car (%links "load-llm" (list name) (decoder-rules model)
                                 "")))))

;; Floats.

(define (%add-floats! source saved table)
  "Add a tensor as floats, in the form that Hugging Face's files have."
  (let ((name (%gguf-find source saved))
        (expert (%gguf-expert saved)))
    (cond ((hash-has-key? table saved))
          (name
           (hash-set! table saved
                      (%as-saved source saved
                                 (%gguf-floats source saved name))))
          ((and expert (hash-has-key? (%gguf-source-shapes source)
                                      (car expert)))
           (hash-set! table saved (%gguf-expert-part source expert)))
          ((%gguf-halves saved)
           => (lambda (halves) (%add-halves! source saved halves table)))
          (else (%add-part-of-joined! source saved table)))))

(define (%gguf-floats source saved name)
  "A tensor as floats, with the rows of heads in the order of Hugging Face's
  files."
  (let* ((heads (%gguf-heads source saved))
         (bias? (= (length (%gguf-shape source name)) 1))
         (x (%procedure "gguf-tensor" (%gguf-source-file source) name
                        (%gguf-float-dtype source name)
                        (and (not bias?) heads))))
    (if (and bias? heads) (%halves-of-neighbours x heads name) x)))

(define (%halves-of-neighbours x heads name)
  "A vector in whose heads rotated pairs are neighbours, with pairs as halves."
  (unless (zero? (remainder (tensor-numel x) (* 2 heads)))
    (error (format "load-llm: expected an even number of features for each \
of ~a heads in ~s, got" heads name)
           (tensor-shape x)))
  (tensor-flatten
   (tensor-transpose (tensor-reshape x (list heads -1 2)) 1 2)))

(define (%add-halves! source saved halves table)
  "Add gate and up as one tensor, if the file has them."
  (when (every (lambda (name)
                 (hash-has-key? (%gguf-source-shapes source) name))
               (cdr halves))
    (hash-set! table saved
               (tensor-cat
                (map (lambda (name)
                       (%procedure "gguf-tensor" (%gguf-source-file source)
                                   name (%gguf-float-dtype source name) #f))
                     (cdr halves))
                (car halves)))))

(define (%gguf-float-dtype source name)
  "The dtype of a tensor's floats: the model's for blocks, else the file's."
  (if (memq (%gguf-type source name) '(F32 F16 BF16))
      #f
      (symbol->string (%gguf-source-dtype source))))

(define (%as-saved source saved x)
  "A tensor of the file as Hugging Face's files have it: llama.cpp adds 1 to the
  norms of Gemma and Nemotron, and turns the matrices of GPT-2 around."
  (let ((type (hash-ref (%gguf-source-config source) "model_type")))
    (cond ((%raised-norm? saved type) (- x 1.0))
          ((%turned-around? saved type) (tensor-t x))
          ((and (string-suffix? "shared_expert_gate.weight" saved)
                (= (tensor-rank x) 1))
           (tensor-unsqueeze x 0))
          (else x))))

(define (%raised-norm? saved type)
  "Whether llama.cpp adds 1 to a tensor of a type of model."
  (and (member type '("gemma" "gemma2" "gemma3_text" "nemotron"))
       (string-suffix? "norm.weight" saved)))

(define (%turned-around? saved type)
  "Whether llama.cpp has the transpose of a matrix of a type of model."
  (and (equal? type "gpt2")
       (string-suffix? ".weight" saved)
       (string-contains saved ".c_")))

(define (%gguf-expert-part source expert)
  "The matrix of one expert.  The tensor of all is read once."
  (let ((all (%gguf-source-experts source)))
    (unless (hash-has-key? all (car expert))
      (hash-set! all (car expert)
                 (%procedure "gguf-tensor" (%gguf-source-file source)
                             (car expert)
                             (%gguf-float-dtype source (car expert)) #f)))
    (let ((x (hash-ref all (car expert))))
      (unless (and (= (tensor-rank x) 3) (< (cdr expert) (tensor-size x 0)))
        (error (format "load-llm: ~s: expected a tensor of ~a or more experts as ~s, got" (%gguf-source-path source) (+ 1 (cdr expert)) (car expert))
               (tensor-shape x)))
      (tensor-select x 0 (cdr expert)))))

(define (%add-part-of-joined! source saved table)
  "Add queries, keys or values that the file has as one tensor."
  (let* ((parts '((".q_proj." . 0) (".k_proj." . 1) (".v_proj." . 2)))
         (found (find (lambda (part) (string-contains saved (car part)))
                      parts))
         (joined (and found
                      (%gguf-find source
                                  (string-replace saved (car found)
                                                  ".qkv_proj.")))))
    (when joined
      (let* ((x (%procedure "gguf-tensor" (%gguf-source-file source) joined
                            (%gguf-float-dtype source joined) #f))
             (sizes (%joined-sizes source)))
        (hash-set! table saved
                   (tensor-narrow x 0
                                  (apply + (take sizes (cdr found)))
                                  (list-ref sizes (cdr found))))))))

(define (%joined-sizes source)
  "How many rows queries, keys and values have."
  (let-values (((heads kv-heads size)
                (%config-heads (%gguf-source-config source))))
    (list (* heads size) (* kv-heads size) (* kv-heads size))))
