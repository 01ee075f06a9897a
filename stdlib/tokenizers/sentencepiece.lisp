;; sentencepiece.lisp - tokenizers of SentencePiece: its .model files, lists of
;; pieces, and training.
;;
;; Ids are those of Python's sentencepiece package, which only training needs
;; (ctorch/tokenizers/training.cpp).

(define (load-sentencepiece path :bos #f :eos #f :special '())
  "The tokenizer of a SentencePiece file, such as tokenizer.model: unigram, bpe,
  word or char.

  bos, eos: whether encode adds these tokens.  special: an alist of texts and ids,
  which encode finds in texts, such as ((\"<|user|>\" . 32000)); the ids may be
  larger than the file's.  As in SentencePiece, names of control symbols in a text
  are ordinary text otherwise.  An error if the file is damaged."
  (%check-string "load-sentencepiece" path)
  (%sentencepiece-record
   (%procedure "load-sentencepiece" path bos eos
               (%special-entries "load-sentencepiece" special))
   #f))

(define (%special-entries who special)
  "An alist of texts and ids as a list of a text before its id."
  (%check-list who special)
  (append-map (lambda (entry)
                (unless (pair? entry)
                  (wrong-type who "pairs of a text and an id" entry))
                (list (car entry) (cdr entry)))
              special))

(define (%sentencepiece-record object pad)
  "The tokenizer around what ctorch returned; pad is the id of padding if the
  model itself has none, or #f."
  (let* ((ids (map (lambda (id) (and (>= id 0) id))
                   (%procedure "sentencepiece-ids" object)))
         (eos (cadr ids)))
    (%make-tokenizer 'sentencepiece object
                     `((bos . ,(car ids))
                       (eos . ,(if eos (list eos) '()))
                       (pad . ,(or (cadddr ids) pad))))))

;; Files in a folder with settings.

(define (%load-sentencepiece path config)
  "The tokenizer of a .model file; config is the table in the tokenizer_config.json
  beside it, or empty."
  (load-sentencepiece path
                      :bos (%adds-token? config "add_bos_token"
                                         '("Llama" "Gemma" "Mistral"))
                      :eos (%adds-token? config "add_eos_token" '("T5" "Siglip"))
                      :special (%added-tokens config)))

(define (%adds-token? config name families)
  "Whether a setting asks for a token at an end; where it is absent, the class of
  tokenizers decides."
  (let ((found (hash-ref config name 'null))
        (class (hash-ref config "tokenizer_class" #f)))
    (cond ((boolean? found) found)
          ((string? class)
           (any (lambda (family) (and (string-contains class family) #t))
                families))
          (else #f))))

(define (%added-tokens config)
  "The texts and ids of the added tokens that a tokenizer_config.json names."
  (let ((found (hash-ref config "added_tokens_decoder" #f)))
    (filter-map
     (lambda (entry)
       (let ((id (string->number (car entry)))
             (content (and (hash-table? (cdr entry))
                           (hash-ref (cdr entry) "content" #f))))
         (and (exact-integer? id) (string? content)
              (not (string=? content ""))
              (cons content id))))
     (if (hash-table? found) (hash->list found) '()))))

;; Lists.

(define %piece-types '(normal unknown control user-defined unused byte))

(define (sentencepiece-tokenizer pieces scores types
                                 :model 'bpe :bos #f :eos #f
                                 :bos-id #f :eos-id #f :pad-id #f
                                 :dummy-prefix #t :remove-spaces #f
                                 :special '())
  "A SentencePiece tokenizer of lists of one length: the texts of the pieces, their
  scores, and their types: normal, unknown, control, user-defined, unused or byte,
  or the integers from 1 to 6 for them, as GGUF files have it.

  model: bpe, unigram, word or char.  bos, eos: whether encode adds these tokens.
  bos-id, eos-id, pad-id: the ids of those control pieces; by default <s>, </s> and
  <pad> are.  dummy-prefix: whether a space is put before a text.  remove-spaces:
  whether spaces at the ends and repeated ones are removed.  special: as for
  load-sentencepiece."
  (define who "sentencepiece-tokenizer")
  (for-each (lambda (x) (%check-list who x)) (list pieces scores types))
  (let ((kinds (map (lambda (type) (%piece-type who type)) types)))
    (%sentencepiece-record
     (%procedure who
                 (map (lambda (piece) (%text-for-tokens who piece)) pieces)
                 scores kinds
                 (append
                  (list "model_type" (%model-name who model)
                        "byte_fallback" (if (memv 6 kinds) "true" "false")
                        "add_dummy_prefix" (if dummy-prefix "true" "false")
                        "remove_extra_whitespaces"
                        (if remove-spaces "true" "false"))
                  (%piece-option who "unk_piece" pieces
                                 (list-index (lambda (kind) (eqv? kind 2))
                                             kinds))
                  (%piece-option who "bos_piece" pieces bos-id)
                  (%piece-option who "eos_piece" pieces eos-id)
                  (%piece-option who "pad_piece" pieces pad-id))
                 bos eos (%special-entries who special))
     pad-id)))

(define (%piece-type who type)
  "A type of pieces as an integer."
  (let ((index (list-index (lambda (name) (eq? name type)) %piece-types)))
    (cond (index (+ index 1))
          ((and (exact-integer? type) (<= 1 type 6)) type)
          (else
           (wrong-type who
                       "normal, unknown, control, user-defined, unused or byte"
                       type)))))

(define (%piece-option who name pieces id)
  "The option that names the piece of an id; none if that is #f."
  (cond ((not id) '())
        ((and (exact-integer? id) (< -1 id (length pieces)))
         (list name (list-ref pieces id)))
        (else
         (wrong-type who
                     (format "an id below ~a" (length pieces)) id))))

(define (%model-name who model)
  "The trainer's name of a kind of model."
  (unless (memq model '(bpe unigram word char))
    (wrong-type who "bpe, unigram, word or char as the model" model))
  (symbol->string model))

(define (save-sentencepiece path tokenizer)
  "Write a SentencePiece tokenizer as a .model file, which the sentencepiece package
  reads, too.  Returns the path."
  (%check-string "save-sentencepiece" path)
  (%procedure "save-sentencepiece" path
              (%tokenizer-object "save-sentencepiece" tokenizer))
  path)

;; Training.

(define (train-tokenizer files :vocabulary-size 8000 :model 'unigram
                         :path "tokenizer.model" :byte-fallback #f
                         :normalization 'nmt-nfkc :coverage 0.9995
                         :special '() :options '())
  "Train a SentencePiece tokenizer on text files, write it, and return it.

  files: a path or a list of paths; each line is a sentence.  model: unigram, bpe,
  word or char.  path: ends with .model; a .vocab file appears beside it.
  byte-fallback: whether characters that are not in the vocabulary become bytes.
  normalization: nmt-nfkc, nfkc, nmt-nfkc-cf, nfkc-cf or identity.  coverage: the
  part of the characters that the vocabulary covers.  special: texts that always
  are one token.  options: an alist of other options of SentencePiece's trainer,
  such as ((\"split_digits\" . \"true\")).  Python's sentencepiece package does the
  work; LAMBENT_PYTHON may name the Python that has it.  An error if it is missing,
  a file cannot be read, or the vocabulary is too small for the characters or too
  large for the text."
  (define who "train-tokenizer")
  (let ((files (if (string? files) (list files) files)))
    (%check-training who files path vocabulary-size special options)
    (%await-training
     (%procedure who
                (append
                 (list "input" (%quoted-list files)
                       "model_prefix"
                       (substring path 0 (- (string-length path) 6))
                       "model_type" (%model-name who model)
                       "vocab_size" (number->string vocabulary-size)
                       "byte_fallback" (if byte-fallback "true" "false")
                       "normalization_rule_name"
                       (%rule-name who normalization)
                       "character_coverage" (format "~a" coverage))
                 (if (null? special)
                     '()
                     (list "user_defined_symbols" (%quoted-list special)))
                 (append-map (lambda (option)
                               (list (format "~a" (car option))
                                     (format "~a" (cdr option))))
                             options))))
    (load-sentencepiece path)))

(define (%await-training training)
  "Wait for the end of a training; Ctrl-C ends it."
  (unless (%procedure "train-tokenizer" training)
    (%await-training training)))

(define (%check-training who files path size special options)
  "Check the arguments of train-tokenizer."
  (%check-list who files)
  (when (null? files)
    (error (string-append who ": there are no files")))
  (for-each (lambda (file)
              (%check-string who file)
              (unless (file-exists? file)
                (error (format "~a: no file ~s" who file))))
            files)
  (%check-string who path)
  (unless (and (string-suffix? ".model" path) (> (string-length path) 6))
    (wrong-type who "a path that ends with .model" path))
  (unless (and (exact-integer? size) (> size 0))
    (wrong-type who "a positive exact integer as vocabulary-size" size))
  (%check-list who special)
  (for-each (lambda (text) (%check-string who text)) special)
  (%check-list who options)
  (for-each (lambda (option)
              (unless (pair? option)
                (wrong-type who "pairs of a name and a value as options" option)))
            options))

(define (%quoted-list texts)
  "The texts with commas between, as the trainer reads lists."
  (string-join (map (lambda (text)
                      (string-append
                       "\""
                       (string-join (string-split text "\"") "\"\"")
                       "\""))
                    texts)
               ","))

(define (%rule-name who rule)
  "The trainer's name of a rule of normalization."
  (unless (memq rule '(nmt-nfkc nfkc nmt-nfkc-cf nfkc-cf identity))
    (wrong-type who "nmt-nfkc, nfkc, nmt-nfkc-cf, nfkc-cf or identity" rule))
  (string-join (string-split (symbol->string rule) "-") "_"))
