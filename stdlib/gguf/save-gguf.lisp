;; save-gguf.lisp - language models as GGUF files, the format of llama.cpp.
;;
;;     (save-gguf model "model.gguf" :kind 'Q4_K_M :tokenizer tokenizer)
;;
;; What load-llm does with such a file, the other way: names, the order of rows
;; of queries and keys, norms to which 1 is added, experts as one tensor.

(define (save-gguf model path :kind 'F16 :tokenizer #f :name #f)
  "Write a language model as a GGUF file, which load-llm and llama.cpp read.

  kind: how matrices are written.  F32, F16 and BF16 are floats; Q8_0, Q6_K,
  Q5_1, Q5_0, Q5_K, Q4_1, Q4_0, Q4_K, Q3_K and Q2_K blocks of integers of 8 to 2
  bits; Q5_K_M and Q4_K_M have Q6_K for half of the values and down projections,
  Q3_K_M and Q3_K_L have Q4_K and Q5_K for them and after attention, as Q2_K has
  Q3_K.  In kinds of fewer bits the head, and a table of tokens that is the head,
  have Q8_0; a matrix whose rows are not whole blocks of 256 gets the kind of 32
  next to it, or F16, and a line on the standard error says so.  Vectors and the
  choice of experts are F32.  Weights that are kept in K's blocks, as
  quantize-model! makes them for 'Q4_K_M and its like, are written as they are;
  what else such a model has in integers gets Q8_0, and kind is for the floats.

  tokenizer: a tokenizer that was read from a folder or a GGUF file, or the path
  of such; its tokens, merges and chat template are written, too.  name: the
  model's name in the file.  A setting that GGUF cannot hold is an error."
  (%check-language-model "save-gguf" model)
  (unless (string? path) (wrong-type "save-gguf" "a path" path))
  (unless (assq kind %gguf-kinds)
    (error (format "save-gguf: expected ~a as the kind, got"
                   (string-join (map symbol->string (map car %gguf-kinds))
                                ", "))
           kind))
  (%refuse-for-gguf model)
  (let* ((config (model-config model))
         (arch (%gguf-architecture-of config))
         (tokenizer (if (string? tokenizer)
                        (load-tokenizer tokenizer)
                        tokenizer))
         (tensors (%gguf-written-tensors model config kind))
         (metadata
          (append
           (list (list "general.architecture" 'string arch)
                 (list "general.name" 'string
                       (or name (hash-ref config "model_type")))
                 (list "general.file_type" 'uint32
                       (caddr (assq (%kind-of-blocks model kind) %gguf-kinds)))
                 '("general.quantization_version" uint32 2))
           (%gguf-written-settings config arch)
           (if tokenizer
               (%gguf-written-tokens tokenizer config)
               '(("tokenizer.ggml.model" string "no_vocab"))))))
    (%check-gguf-settings path metadata tensors model tokenizer)
    (%tell-other-types tensors kind)
    (%procedure "save-gguf" path metadata tensors)))

(define (%tell-other-types tensors kind)
  "Say on the standard error which matrices are not in blocks of 256."
  (let* ((head (if (assoc "output.weight" tensors)
                   "output.weight"
                   "token_embd.weight"))
         (other (if (assq kind %k-kinds)
                    (filter (lambda (entry)
                              (and (memq (cadr entry) '(Q8_0 Q4_0 Q5_0 Q5_1 F16))
                                   (> (tensor-rank (caddr entry)) 1)
                                   (not (equal? (car entry) head))))
                            tensors)
                    '())))
    (unless (null? other)
      (write-string
       (format "save-gguf: ~a ~a in ~a, since rows are not a multiple of 256 \
columns: ~a~a\n"
               (length other)
               (if (null? (cdr other)) "matrix is" "matrices are")
               (string-join (delete-duplicates
                             (map (lambda (entry) (symbol->string (cadr entry)))
                                  other))
                            " and ")
               (string-join (map car (take other (min 4 (length other)))) ", ")
               (if (> (length other) 4) " ..." ""))
       (current-error-port)))))

;; A kind, the type of most matrices, and llama.cpp's number of it.
(define %gguf-kinds
  (append
   '((F32 F32 0) (F16 F16 1) (BF16 BF16 32) (Q8_0 Q8_0 7)
     (Q4_0 Q4_0 2) (Q4_1 Q4_1 3) (Q5_0 Q5_0 8) (Q5_1 Q5_1 9))
   %k-kinds))

(define (%refuse-for-gguf model)
  "Raise an error for a model with adapters or with integers."
  (when (pair? (%adapters model))
    (%error-with-hint
     "save-gguf: the model has adapters" '()
     "(remove-lora! (merge-lora! model)) leaves what they learned in the \
weights"))
  (let ((layers (filter quantized-layer? (map cdr (named-modules model)))))
    (unless (or (null? layers) (any block-linear? layers))
      (%error-with-hint
       "save-gguf: the model is quantized already" '()
       "load it as floats, (load-llm folder :expand #t) for a folder that other \
programs have quantized, and let :kind quantize it"))))

;; Weights in blocks.

(define (%kind-of-blocks model kind)
  "The kind of most blocks of a model, or the given one if it has none."
  (let ((types (map block-linear-type
                    (filter block-linear? (map cdr (named-modules model))))))
    (if (null? types)
        kind
        (let ((most (car (sort (delete-duplicates types)
                               (lambda (a b)
                                 (> (count (lambda (x) (eq? x a)) types)
                                    (count (lambda (x) (eq? x b)) types)))))))
          (car (find (lambda (row) (eq? (cadr row) most)) %gguf-kinds))))))

(define (%state-for-gguf model)
  "The names and tensors of a model, with floats in the place of integers that are
  not blocks."
  (let ((integers (filter (lambda (entry)
                            (and (quantized-layer? (cdr entry))
                                 (not (block-linear? (cdr entry)))))
                          (named-modules model))))
    (define (layer-of name)
      (let ((entry (find (lambda (entry)
                           (string-prefix? (string (car entry) ".") name))
                         integers)))
        (and entry (cdr entry))))
    (filter-map
     (lambda (entry)
       (let ((layer (layer-of (car entry))))
         (cond ((not layer) entry)
               ((string-suffix? ".weight" (car entry))
                (cons (car entry) (no-grad (dequantized layer))))
               ((string-suffix? ".bias" (car entry)) entry)
               (else #f))))
     (state-dict model))))

(define (%types-of-blocks model own rules)
  "The types of weights that are written as they are, and Q8_0 for other integers:
  a table by their names in files."
  (let ((own-types (make-hash-table)) (types (make-hash-table)))
    (for-each (lambda (entry)
                (when (quantized-layer? (cdr entry))
                  (hash-set! own-types (string (car entry) ".weight")
                             (if (block-linear? (cdr entry))
                                 (block-linear-type (cdr entry))
                                 'Q8_0))))
              (named-modules model))
    (for-each (lambda (link)
                (let ((type (hash-ref own-types (car (%link-names link)) #f)))
                  (when type
                    (for-each (lambda (saved) (hash-set! types saved type))
                              (%link-saved link)))))
              (%links "save-gguf" (map car own) rules ""))
    types))

;; Tensors.

(define (%gguf-written-tensors model config kind)
  "The tensors of a model as a GGUF file has them: lists of name, type and
  tensor."
  (let* ((type (hash-ref config "model_type"))
         (own (%state-for-gguf model))
         (saved (car (%once-each (%saved-state own (decoder-rules model) ""))))
         (types (%types-of-blocks model own (decoder-rules model)))
         (named (append-map                  ; lists of name, type or #f, tensor
                 (lambda (entry)
                   (map (lambda (part)
                          (list (car part) (hash-ref types (car entry) #f)
                                (cdr part)))
                        (%gguf-entries (car entry) (detach (cdr entry))
                                       type config)))
                 (%with-experts-stacked saved)))
         (tied? (not (assoc "output.weight" named)))
         (count (%layer-count model)))
    (append
     (map (lambda (entry)
            (let ((name (car entry)) (x (caddr entry)))
              (list name
                    (cond ((cadr entry)
                           => (lambda (type)
                                (if (eq? type 'Q8_0)
                                    (%gguf-fitting-type type
                                                        (tensor-size x -1))
                                    type)))
                          (else
                           (%gguf-written-type name x kind tied? count)))
                    x)))
          named)
     (%gguf-rope-tensors config))))

(define (%with-experts-stacked entries)
  "The entries, with the matrices of a layer's experts as one tensor each, by
  their name in GGUF."
  (let ((parts (make-hash-table)))
    (for-each (lambda (entry)
                (let ((expert (%gguf-expert (car entry))))
                  (when expert
                    (hash-set! parts (car expert)
                               (cons (cons (cdr expert) (cdr entry))
                                     (hash-ref parts (car expert) '()))))))
              entries)
    (append
     (remove (lambda (entry) (%gguf-expert (car entry))) entries)
     (map (lambda (name)
            (cons name
                  (tensor-stack
                   (map (lambda (part) (detach (cdr part)))
                        (sort (hash-ref parts name)
                              (lambda (a b) (< (car a) (car b))))))))
          (sort (hash-keys parts) string<?)))))

(define (%gguf-entries saved x type config)
  "The entries of names in GGUF and tensors for one of Hugging Face's files."
  (let ((halves (%gguf-halves saved))
        (name (if (string-prefix? "blk." saved) saved (%gguf-name saved type))))
    (cond (halves
           (let* ((dim (car halves)) (half (quotient (tensor-size x dim) 2)))
             (map (lambda (name k)
                    (cons name (tensor-narrow x dim (* k half) half)))
                  (cdr halves) '(0 1))))
          (name (list (cons name (%as-in-gguf saved x type config))))
          (else
           (error (format "save-gguf: GGUF has no name for ~s of a model of \
the type" saved)
                  type)))))

(define (%as-in-gguf saved x type config)
  "A tensor of Hugging Face's files as llama.cpp has it."
  (let ((heads (%gguf-reordered-heads config saved)))
    (cond (heads (%neighbours-of-halves x heads))
          ((%raised-norm? saved type) (+ x 1.0))
          ((%turned-around? saved type) (tensor-t x))
          ((string-suffix? "shared_expert_gate.weight" saved)
           (tensor-flatten x))
          (else x))))

(define (%neighbours-of-halves x heads)
  "The rows of each head in the order in which rotated pairs are neighbours."
  (tensor-reshape
   (tensor-transpose (tensor-unflatten x 0 (list heads 2 -1)) 1 2)
   (tensor-shape x)))

(define (%gguf-written-type name x kind tied? count)
  "The type in which a tensor is written.  tied?: whether the table of tokens is
  the head.  count: of layers."
  (let* ((most (cadr (assq kind %gguf-kinds)))
         (wanted (cond ((memq most '(F32 F16 BF16 Q8_0)) most)
                       ((equal? name (if tied? "token_embd.weight"
                                         "output.weight"))
                        'Q8_0)
                       ((and (assq kind %k-kinds)
                             (string-prefix? "blk." name))
                        (%k-type kind (%gguf-role name)
                                 (or (%layer-number name) 0) count))
                       (else most))))
    (if (or (< (tensor-rank x) 2)
            (string-contains name "ffn_gate_inp")
            (string-prefix? "position_embd" name))
        'F32
        (%gguf-fitting-type wanted (tensor-size x -1)))))

(define (%gguf-role name)
  "The role of a matrix in the kinds of K: see %k-type."
  (cond ((string-contains name ".attn_v.") 'values)
        ((string-contains name ".attn_qkv.") 'joined)
        ((string-contains name ".attn_output.") 'out)
        ((string-contains name ".ffn_down") 'down)
        (else #f)))

(define (%gguf-fitting-type type columns)
  "The type, or the next for rows that are not whole blocks of it."
  (let ((next (assq type '((Q2_K . Q4_0) (Q3_K . Q4_0) (Q4_K . Q5_0)
                           (Q5_K . Q5_1) (Q6_K . Q8_0)))))
    (cond ((memq type '(F32 F16 BF16)) type)
          ((and next (zero? (remainder columns 256))) type)
          ((not (zero? (remainder columns 32))) 'F16)
          (next (cdr next))
          (else type))))
