;; gguf-tokenizers.lisp - the tokenizer in a GGUF file.
;;
;; "tokenizer.ggml.model" says which it is: llama for SentencePiece, gpt2 for
;; byte-level BPE.

(define (%gguf-tokenizer path)
  "The tokenizer in a GGUF file."
  (let* ((file (%procedure "open-gguf" path))
         (kind (%gguf-token-value file "model" #f))
         (tokens (%gguf-token-value file "tokens" #f)))
    (unless (and (pair? tokens) (every string? tokens))
      (error (format "load-tokenizer: ~s has no list \"tokenizer.ggml.tokens\""
                     path)))
    (cond ((equal? kind "llama") (%gguf-pieces path file tokens))
          ((equal? kind "gpt2") (%gguf-byte-pairs path file tokens))
          (else
           (error (format "load-tokenizer: ~s: expected \"llama\" or \"gpt2\" \
as \"tokenizer.ggml.model\", got" path)
                  kind)))))

(define (%gguf-token-value file key default)
  "A value of the tokenizer, or the default."
  (or (%procedure "gguf-value" file (string "tokenizer.ggml." key)) default))

(define (%gguf-id path file key tokens)
  "The id of a special token, or #f; an error if there is no such token."
  (let ((id (%gguf-token-value file key #f)))
    (unless (or (not id) (and (exact-integer? id) (< -1 id (length tokens))))
      (error (format "load-tokenizer: ~s: \"tokenizer.ggml.~a\" is not one of \
~a tokens:" path key (length tokens))
             id))
    id))

(define (%gguf-types path file tokens)
  "The types of the tokens: 1 for an ordinary one, 3 for a control token."
  (%gguf-token-list path file "token_type" tokens
                    (lambda () (map (lambda (token) 1) tokens))))

(define (%gguf-token-list path file key tokens otherwise)
  "A list with an element for each token."
  (let ((found (%gguf-token-value file key #f)))
    (cond ((not found) (otherwise))
          ((and (list? found) (= (length found) (length tokens))) found)
          (else
           (error (format "load-tokenizer: ~s: \"tokenizer.ggml.~a\" must have \
an element for each of ~a tokens" path key (length tokens)))))))

(define (%gguf-pieces path file tokens)
  "A SentencePiece tokenizer of BPE."
  (let ((tokenizer
         (sentencepiece-tokenizer
          tokens
          (%gguf-token-list path file "scores" tokens
                            (lambda () (map (lambda (token) 0.0) tokens)))
          (%gguf-types path file tokens)
          :bos (%gguf-flag file "add_bos_token" #t)
          :eos (%gguf-flag file "add_eos_token" #f)
          :bos-id (%gguf-id path file "bos_token_id" tokens)
          :eos-id (%gguf-id path file "eos_token_id" tokens)
          :pad-id (%gguf-id path file "padding_token_id" tokens)
          :dummy-prefix (%gguf-flag file "add_space_prefix" #t)
          :special (%gguf-control-tokens path file tokens))))
    (%with-gguf-template tokenizer file tokens)))

(define (%gguf-flag file key default)
  "A flag of the tokenizer: #f is a value, so an absent one must be told apart."
  (let ((meta (%procedure "gguf-metadata" file 0)))
    (hash-ref meta (string "tokenizer.ggml." key) default)))

(define (%gguf-control-tokens path file tokens)
  "The tokens that are found in texts by their names: an alist of text and id."
  (filter-map (lambda (token type id)
                (and (memv type '(3 4)) (not (equal? token ""))
                     (cons token id)))
              tokens (%gguf-types path file tokens) (iota (length tokens))))

(define (%gguf-byte-pairs path file tokens)
  "A byte-level BPE tokenizer."
  (let ((merges (%gguf-token-value file "merges" #f))
        (eos (%gguf-id path file "eos_token_id" tokens))
        (eot (%gguf-id path file "eot_token_id" tokens)))
    (unless (and (list? merges) (every string? merges))
      (error (format "load-tokenizer: ~s has no list \"tokenizer.ggml.merges\""
                     path)))
    (bpe-tokenizer tokens merges
                   :pattern (%gguf-pattern path file)
                   :special (map car (%gguf-control-tokens path file tokens))
                   :ignore-merges (equal? (%gguf-token-value file "pre" "")
                                          "llama-bpe")
                   :bos (%gguf-id path file "bos_token_id" tokens)
                   :eos (delete-duplicates (filter values (list eos eot)))
                   :pad (%gguf-id path file "padding_token_id" tokens)
                   :add-bos (%gguf-flag file "add_bos_token" #f)
                   :add-eos (%gguf-flag file "add_eos_token" #f)
                   :template (%procedure "gguf-value" file
                                         "tokenizer.chat_template"))))

(define (%gguf-pattern path file)
  "How texts are split into words."
  (let ((pre (%gguf-token-value file "pre" "gpt-2")))
    (cond ((member pre '("gpt-2" "default" "phi-2" "gpt2")) 'gpt2)
          ((member pre '("llama-bpe" "llama3" "llama-v3")) 'llama3)
          ((member pre '("qwen2" "qwen35" "deepseek-r1-qwen")) 'qwen2)
          (else
           (error (format "load-tokenizer: ~s: expected gpt-2, llama-bpe or \
qwen2 as \"tokenizer.ggml.pre\", got" path)
                  pre)))))

(define (%with-gguf-template tokenizer file tokens)
  "A tokenizer with the chat template of the file, and the names of its special
  tokens."
  (let* ((old (%tokenizer-field "load-tokenizer" tokenizer 3))
         (name (lambda (key)
                 (let ((id (%gguf-token-value file key #f)))
                   (and (exact-integer? id) (< -1 id (length tokens))
                        (list-ref tokens id)))))
         (names (filter cdr (list (cons "bos_token" (name "bos_token_id"))
                                  (cons "eos_token" (name "eos_token_id"))))))
    (%make-tokenizer
     (tokenizer-kind tokenizer)
     (%tokenizer-object "load-tokenizer" tokenizer)
     (append `((names . ,names)
               (template . ,(%procedure "gguf-value" file
                                        "tokenizer.chat_template")))
             old))))
