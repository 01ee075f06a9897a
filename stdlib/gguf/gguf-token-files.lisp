;; gguf-token-files.lisp - the tokenizer of a folder, or of another GGUF file,
;; as GGUF files have it.
;;
;; Byte-level BPE of a tokenizer.json is "gpt2", with the name of its way to
;; split texts; one with pieces for bytes, which SentencePiece's BPE becomes, is
;; "llama".

(define (%gguf-written-tokens tokenizer config)
  "The keys of a tokenizer: lists of key, type and value.  Each row of the table
  of tokens must have one."
  (let* ((size (hash-ref config "vocab_size" #f))
         (keys (%gguf-token-keys tokenizer size))
         (tokens (assoc "tokenizer.ggml.tokens" keys)))
    (unless (and tokens (= (length (caddr tokens)) size))
      (error (format "save-gguf: the model has ~a tokens, the tokenizer" size)
             (if tokens (length (caddr tokens)) 0)))
    keys))

(define (%gguf-token-keys tokenizer size)
  "The keys, of at least that many tokens."
  (let ((source (%tokenizer-source "save-gguf" tokenizer)))
    (cond ((not (folder? source)) (%gguf-copied-tokens source))
          ((file-exists? (%beside source "tokenizer.json"))
           (append (%gguf-json-tokens (%beside source "tokenizer.json") size)
                   (%gguf-special-tokens tokenizer)))
          (else
           (%error-with-hint
            (format "save-gguf: ~s has no tokenizer.json" source) '()
            "the tokenizer classes of transformers write one: \
AutoTokenizer.from_pretrained(folder).save_pretrained(folder)")))))

;; What a tokenizer of GGUF must cut as the other does.
(define %gguf-sample
  '("Hello world! It's 12345678 o'clock,  isn't it?\n\n\tdef f(x): return x**2"
    " \xc4;rger \xe9;t\xe9; \x4f60;\x597d; \x1f642; \x423;\x434;\xe9;"))

(define (%check-gguf-tokens path tokenizer)
  "Raise an error unless the tokenizer of a GGUF file cuts texts as the given
  one."
  (let ((found (%gguf-tokenizer path)))
    (for-each
     (lambda (text)
       (unless (equal? (encode found text) (encode tokenizer text))
         (%error-with-hint
          "save-gguf: llama.cpp's tokenizers cut other tokens of"
          (list text)
          "leave :tokenizer out, and keep the tokenizer's own files")))
     %gguf-sample)))

(define (%gguf-copied-tokens path)
  "The keys of the tokenizer of another GGUF file."
  (unless (%gguf-file? path)
    (error "save-gguf: expected a folder or a GGUF file with a tokenizer, got"
           path))
  (let ((keys (gguf-metadata path :longest #f)))
    (filter-map
     (lambda (key)
       (let ((value (hash-ref keys key)))
         (and (string-prefix? "tokenizer." key)
              (not (null? value))
              (list key (%gguf-value-type key value) value))))
     (sort (hash-keys keys) string<?))))

(define (%gguf-value-type key value)
  "The type in which a key of a tokenizer is written."
  (cond ((string-suffix? ".scores" key) 'float32-list)
        ((string-suffix? ".token_type" key) 'int32-list)
        ((boolean? value) 'bool)
        ((string? value) 'string)
        ((exact-integer? value) 'uint32)
        ((real? value) 'float32)
        ((string? (car value)) 'string-list)
        (else 'int32-list)))

(define (%gguf-special-tokens tokenizer)
  "The keys of special tokens and of the chat template."
  (define (id key name)
    (let ((found (%tokenizer-setting "save-gguf" tokenizer name)))
      (cond ((exact-integer? found) (list (list key 'uint32 found)))
            ((pair? found) (list (list key 'uint32 (car found))))
            (else '()))))
  (let ((ends (%tokenizer-setting "save-gguf" tokenizer 'eos))
        (template (%tokenizer-setting "save-gguf" tokenizer 'template)))
    (append
     (id "tokenizer.ggml.bos_token_id" 'bos)
     (id "tokenizer.ggml.eos_token_id" 'eos)
     (if (and (pair? ends) (pair? (cdr ends)))
         (list (list "tokenizer.ggml.eot_token_id" 'uint32 (cadr ends)))
         '())
     (id "tokenizer.ggml.padding_token_id" 'pad)
     (cond ((string? template)
            (list (list "tokenizer.chat_template" 'string template)))
           ((pair? template) (%gguf-written-templates template))
           (else '())))))

(define (%gguf-written-templates templates)
  "The keys of several chat templates, an alist."
  (append
   (map (lambda (entry)
          (list (if (equal? (car entry) "default")
                    "tokenizer.chat_template"
                    (string "tokenizer.chat_template." (car entry)))
                'string (cdr entry)))
        templates)
   (list (list "tokenizer.chat_templates" 'string-list
               (remove (lambda (name) (equal? name "default"))
                       (map car templates))))))

;; tokenizer.json.

(define (%gguf-json-tokens path size)
  "The keys of the tokens in a tokenizer.json.  size: of the model's table of
  tokens, up to which names are made up."
  (let* ((json (%settings-table path))
         (model (config-ref json "model" (make-hash-table)))
         (bytes? (eq? (config-ref model "byte_fallback" #f) #t))
         (merges (map %gguf-merge (config-ref model "merges" '()))))
    (unless (and (equal? (config-ref model "type" "BPE") "BPE")
                 (hash-table? (config-ref model "vocab" #f)))
      (error (format "save-gguf: ~s: expected BPE as the tokenizer's model, got"
                     path)
             (config-ref model "type" #f)))
    (let*-values (((tokens types) (%gguf-token-list json model size)))
      (append
       (if bytes?
           (%gguf-piece-settings json)
           (list '("tokenizer.ggml.model" string "gpt2")
                 (list "tokenizer.ggml.pre" 'string
                       (%gguf-split-name path json))))
       (list (list "tokenizer.ggml.tokens" 'string-list tokens)
             (list "tokenizer.ggml.token_type" 'int32-list types))
       (if bytes?
           (list (list "tokenizer.ggml.scores" 'float32-list
                       (%gguf-scores tokens merges)))
           (list (list "tokenizer.ggml.merges" 'string-list merges)))
       (list (list "tokenizer.ggml.add_bos_token" 'bool
                   (%gguf-adds-first? json)))))))

(define (%gguf-merge merge)
  "A merge as one string."
  (if (string? merge) merge (string (car merge) " " (cadr merge))))

(define (%gguf-token-list json model size)
  "Two values: the texts of all tokens, and llama.cpp's numbers for what they
  are: 1 for usual ones, 3 for special ones, 4 for those that were added, 5 for
  made-up ones, 6 for bytes."
  (let* ((vocab (hash->list (config-ref model "vocab")))
         (added (config-ref json "added_tokens" '()))
         (count (fold max size
                      (append (map (lambda (entry) (+ 1 (cdr entry))) vocab)
                              (map (lambda (token)
                                     (+ 1 (config-ref token "id")))
                                   added))))
         (texts (make-vector count #f))
         (types (make-vector count 5)))
    (for-each (lambda (entry)
                (vector-set! texts (cdr entry) (car entry))
                (vector-set! types (cdr entry)
                             (if (%gguf-byte-token? (car entry)) 6 1)))
              vocab)
    (for-each (lambda (token)
                (vector-set! texts (config-ref token "id")
                             (config-ref token "content"))
                (vector-set! types (config-ref token "id")
                             (if (eq? (config-ref token "special" #f) #t)
                                 3
                                 4)))
              added)
    (let ((unknown (config-ref model "unk_token" #f)))
      (for-each (lambda (entry)
                  (when (equal? (car entry) unknown)
                    (vector-set! types (cdr entry) 2)))
                vocab))
    (values (map (lambda (text k) (or text (format "[PAD~a]" k)))
                 (vector->list texts) (iota count))
            (vector->list types))))

(define (%gguf-byte-token? text)
  "Whether it stands for a byte, as <0x0A>."
  (and (= (string-length text) 6)
       (string-prefix? "<0x" text)
       (string-suffix? ">" text)))

(define (%gguf-scores tokens merges)
  "A score for each token: what an earlier merge makes is better."
  (let ((ranks (make-hash-table)))
    (for-each (lambda (merge rank)
                (let ((made (string-replace merge " " "")))
                  (unless (hash-has-key? ranks made)
                    (hash-set! ranks made (- (inexact rank))))))
              merges (iota (length merges)))
    (map (lambda (token) (hash-ref ranks token 0.0)) tokens)))

(define (%gguf-piece-settings json)
  "The keys of SentencePiece's BPE."
  (list '("tokenizer.ggml.model" string "llama")
        '("tokenizer.ggml.pre" string "default")
        (list "tokenizer.ggml.add_space_prefix" 'bool
              (%gguf-adds-space? json))))

(define (%gguf-adds-space? json)
  "Whether a space comes before a text: by a step that prepends it."
  (any (lambda (step)
         (or (equal? (config-ref step "type" #f) "Prepend")
             (and (equal? (config-ref step "type" #f) "Metaspace")
                  (not (equal? (config-ref step "prepend_scheme" "always")
                               "never"))
                  (not (eq? (config-ref step "add_prefix_space" #t) #f)))))
       (append (%gguf-steps (config-ref json "normalizer" #f) "normalizers")
               (%gguf-steps (config-ref json "pre_tokenizer" #f)
                            "pretokenizers"))))

(define (%gguf-adds-first? json)
  "Whether texts begin with a special token: a template of the tokenizer has one
  before the text."
  (any (lambda (step)
         (let ((single (config-ref step "single" #f)))
           (and (pair? single)
                (hash-has-key? (car single) "SpecialToken"))))
       (%gguf-steps (config-ref json "post_processor" #f) "processors")))

(define (%gguf-steps step key)
  "The steps in a step of a tokenizer.json, which may be several."
  (cond ((not (hash-table? step)) '())
        ((config-ref step key #f)
         => (lambda (steps)
              (append-map (lambda (each) (%gguf-steps each key)) steps)))
        (else (list step))))

(define (%gguf-split-name path json)
  "llama.cpp's name for the way in which a byte-level BPE splits texts."
  (let* ((steps (%gguf-steps (config-ref json "pre_tokenizer" #f)
                             "pretokenizers"))
         (patterns (filter-map %gguf-split-pattern steps))
         (found (find (lambda (entry) (equal? (cdr entry) patterns))
                      (%split-patterns)))
         (names (and found
                     (find (lambda (family) (eq? (cadr family) (car found)))
                           %gguf-families))))
    (unless names
      (%error-with-hint
       (format "save-gguf: ~s splits texts in a way that llama.cpp has no name \
for" path)
       '() "leave :tokenizer out, and keep the tokenizer's own files"))
    (car (car names))))

(define (%gguf-split-pattern step)
  "The regular expression of a step, or #f for one that does not split."
  (let ((type (config-ref step "type" #f)))
    (cond ((equal? type "Split")
           (let ((pattern (config-ref step "pattern" (make-hash-table))))
             (config-ref pattern "Regex" (config-ref pattern "String" #f))))
          ((equal? type "Digits") "\\p{N}")
          ((and (equal? type "ByteLevel")
                (not (eq? (config-ref step "use_regex" #t) #f)))
           (cadr (assq 'gpt2 (%split-patterns))))
          (else #f))))
