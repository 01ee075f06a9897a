;; gguf-tokenizers.lisp - the tokenizer in a GGUF file.
;;
;; "tokenizer.ggml.model" says which it is: llama and t5 for SentencePiece, gpt2
;; and gemma4 for BPE, bert for WordPiece.  "tokenizer.ggml.pre" names the family
;; whose way to split texts a gpt2 has.

(define (%gguf-tokenizer path)
  "The tokenizer in a GGUF file."
  (let* ((file (%procedure "open-gguf" path))
         (meta (%procedure "gguf-metadata" file 64))
         (value (lambda (key default)
                  (hash-ref meta (string "tokenizer.ggml." key) default)))
         (kind (value "model" #f))
         (object (cond ((equal? kind "llama") (%gguf-pieces file value 'bpe #t))
                       ((equal? kind "t5") (%gguf-pieces file value 'unigram #f))
                       ((equal? kind "gpt2") (%gguf-byte-pairs path file value))
                       ((equal? kind "gemma4")
                        (%gguf-framed file value (%spaced-steps) #t))
                       ((equal? kind "bert") (%gguf-word-pieces file value))
                       (else (%unknown-gguf-kind path kind)))))
    (%make-tokenizer (%kind-of object) object
                     (%gguf-token-settings path meta value object kind))))

(define (%unknown-gguf-kind path kind)
  "Fail: no such tokenizer."
  (error (format "load-tokenizer: ~s: expected llama, gpt2, gemma4, bert or t5 \
as \"tokenizer.ggml.model\", got" path)
         kind))

;; The kinds.

(define (%gguf-pieces file value model adds-bos)
  "The object of a SentencePiece model."
  (let ((flag (lambda (on) (if on "true" "false")))
        (unknown (value "unknown_token_id" (if (eq? model 'bpe) 0 2))))
    (%procedure "gguf-sentencepiece" file
                (append
                 (list "model_type" (symbol->string model)
                       "byte_fallback" (flag (eq? model 'bpe))
                       "add_dummy_prefix" (flag (value "add_space_prefix" #t))
                       "remove_extra_whitespaces"
                       (flag (value "remove_extra_whitespaces" #f)))
                 (%gguf-piece file value "unk_piece" "unknown_token_id"
                              unknown)
                 (%gguf-piece file value "bos_piece" "bos_token_id"
                              (and (eq? model 'bpe) 1))
                 (%gguf-piece file value "eos_piece" "eos_token_id"
                              (if (eq? model 'bpe) 2 1))
                 (%gguf-piece file value "pad_piece" "padding_token_id" #f))
                (value "add_bos_token" adds-bos)
                (value "add_eos_token" (eq? model 'unigram))
                unknown)))

(define (%gguf-piece file value option key default)
  "The option that names the piece of an id; none if the file has no such token."
  (let ((text (%procedure "gguf-token" file (or (value key default) -1))))
    (if text (list option text) '())))

(define (%gguf-byte-pairs path file value)
  "The object of byte-level BPE."
  (let* ((pre (value "pre" "gpt-2"))
         (family (or (%gguf-family pre) (%unknown-gguf-split path pre))))
    (%gguf-framed file value
                  (%byte-steps (%split-pattern "load-tokenizer" (cadr family))
                               #f (caddr family))
                  (cadddr family))))

(define (%gguf-framed file value steps adds-bos)
  "The object of steps, with the tokens at the ends that the file asks for."
  (let ((ends (lambda (flag key)
                (let ((id (value key #f)))
                  (if (and flag (exact-integer? id)) (list id) '())))))
    (%procedure "gguf-tokenizer" steps file
                (ends (value "add_bos_token" adds-bos) "bos_token_id")
                (ends (value "add_eos_token" #f) "eos_token_id"))))

(define (%gguf-word-pieces file value)
  "The object of BERT's WordPiece.  The file spells the key so."
  (let ((unknown (%procedure "gguf-token" file (value "unknown_token_id" 100)))
        (lower (value "normalizer.lowercase" #t)))
    (%procedure "gguf-tokenizer"
                (%bert-steps lower
                             (value "normalizer.strip_accents" lower)
                             #t (or unknown "[UNK]"))
                file
                (list (value "cls_token_id" (value "bos_token_id" 101)))
                (list (value "seperator_token_id"
                             (value "separator_token_id" 102))))))

;; Families: names in files, how they split texts, whether words that are tokens
;; are taken whole, and whether a text begins with bos.

(define %gguf-families
  '((("gpt-2" "gpt2" "phi-2" "jina-es" "jina-de" "jina-v1-en" "jina-v2-es"
      "jina-v2-de" "jina-v2-code" "roberta-bpe" "gigachat" "a.x-4.0" "mellum"
      "modern-bert" "exaone4" "mpt" "olmo" "jais" "trillion" "granite-docling")
     gpt2 #f #f)
    (("llama-bpe" "llama3" "llama-v3" "falcon3" "falcon-h1" "pixtral" "midm-2.0"
      "lfm2" "jina-v5-nano")
     llama3 #t #t)
    (("dbrx" "smaug-bpe" "chatglm-bpe") llama3 #f #f)
    (("glm4" "glm5") llama3 #t #f)
    (("qwen2" "deepseek-r1-qwen" "kormo" "f2llmv2" "megrez" "stablelm2"
      "hunyuan" "solar-open" "grok-2")
     qwen2 #f #f)
    (("qwen35") qwen35 #f #f)
    (("gpt-4o" "llama4" "kanana2" "talkie" "minimax-m2") gpt4o #f #f)
    (("granite-embed-multi-97m") gpt4o #t #f)
    (("tekken") tekken #t #t)
    (("starcoder" "refact" "command-r" "smollm" "codeshell" "exaone"
      "minerva-7b" "mellum2")
     digits #f #f)
    (("falcon") falcon #f #f)
    (("default") plain #f #f)
    (("deepseek-llm") deepseek-llm #f #f)
    (("deepseek-coder") deepseek-coder #f #f)
    (("deepseek-v3" "hunyuan-dense" "joyai-llm" "hy_v4") deepseek-v3 #f #f)
    (("poro-chat" "bloom" "gpt3-finnish") bloom #f #f)
    (("viking") viking #f #f)
    (("bailingmoe" "bailingmoe2" "llada-moe") bailing #f #f)
    (("seed-coder") seed-coder #f #f)
    (("superbpe") superbpe #f #f)
    (("tiny_aya" "cohere2moe") tiny-aya #f #f)
    (("exaone-moe") exaone-moe #f #f)
    (("minicpm5") minicpm5 #t #f)))

(define (%gguf-family pre)
  "The family of a name, or #f."
  (find (lambda (family) (member pre (car family))) %gguf-families))

(define (%unknown-gguf-split path pre)
  "Fail: it is not known how texts are split."
  (error (format "load-tokenizer: ~s: expected the name of a known family, such \
as gpt-2, llama-bpe, qwen2, deepseek-v3 or gpt-4o, as \"tokenizer.ggml.pre\", \
got" path)
         pre))

;; Settings.

(define (%gguf-token-settings path meta value object kind)
  "The settings of a tokenizer: special tokens and the chat template."
  (let* ((size (%procedure "vocabulary-size" object))
         (id (lambda (key default)
               (let ((found (value key default)))
                 (unless (or (not found)
                             (and (exact-integer? found) (< -1 found size)))
                   (error (format "load-tokenizer: ~s: \"tokenizer.ggml.~a\" \
is not one of ~a tokens:" path key size)
                          found))
                 found)))
         (pieces (equal? kind "llama"))
         (bos (id "bos_token_id" (and pieces (< 1 size) 1)))
         (eos (id "eos_token_id" (and pieces (< 2 size) 2)))
         (name (lambda (key id)
                 (let ((text (and id (%procedure "id->token" object id))))
                   (if text (list (cons key text)) '())))))
    `((bos . ,bos)
      (eos . ,(delete-duplicates
               (filter values (list eos (id "eot_token_id" #f)
                                    (id "eom_token_id" #f)))))
      (pad . ,(id "padding_token_id" #f))
      (names . ,(append (name "bos_token" bos) (name "eos_token" eos)
                        (name "pad_token" (id "padding_token_id" #f))
                        (name "unk_token" (id "unknown_token_id" #f))))
      (source . ,path)
      (template . ,(%gguf-templates meta)))))

(define (%gguf-templates meta)
  "The chat template of a file, an alist if it has several, or #f."
  (let ((default (hash-ref meta "tokenizer.chat_template" #f))
        (others (hash-ref meta "tokenizer.chat_templates" '())))
    (if (and (pair? others) (every string? others))
        (append
         (if default (list (cons "default" default)) '())
         (filter cdr
                 (map (lambda (name)
                        (cons name
                              (hash-ref meta
                                        (string "tokenizer.chat_template." name)
                                        #f)))
                      others)))
        default)))
