;; load-tokenizer.lisp - tokenizers from files: a model's folder, or a file.
;;
;; The first file of %tokenizer-names that a folder has is its tokenizer.
;; Settings stand in files beside it, which all may be missing.

(define (load-tokenizer path)
  "The tokenizer in a folder of a model, or in a file: tokenizer.json,
  tokenizer.model (SentencePiece or tiktoken), tekken.json, vocab.json beside
  merges.txt, vocab.txt, a file of tiktoken, or a GGUF file.

  In a folder, tokenizer_config.json, special_tokens_map.json,
  generation_config.json and chat_template.jinja beside it are read, too.  Where a
  tokenizer.json asks for padding or for cutting texts, encode does neither;
  encode-batch has arguments for both."
  (%check-string "load-tokenizer" path)
  (cond ((folder? path) (%load-from-folder path))
        ((not (file-exists? path))
         (error (format "load-tokenizer: there is no file or folder ~s" path)))
        ((string-suffix? ".gguf" path) (%gguf-tokenizer path))
        (else (%load-from-file path (%folder-of path) (%file-name path)))))

(define (%folder-of path)
  "The folder of a file."
  (let ((at (%last-slash path)))
    (cond ((not at) ".")
          ((= at 0) "/")
          (else (substring path 0 at)))))

(define (%file-name path)
  "The last part of a path."
  (let ((at (%last-slash path)))
    (if at
        (substring path (+ at 1) (string-length path))
        path)))

(define (%last-slash path)
  "The index of the last slash of a path, or #f."
  (let loop ((k (- (string-length path) 1)))
    (cond ((< k 0) #f)
          ((char=? (string-ref path k) #\/) k)
          (else (loop (- k 1))))))

(define (%beside folder name)
  "The path of a file in a folder."
  (string folder "/" name))

(define %tokenizer-names
  '("tokenizer.json" "tokenizer.model" "spiece.model" "tekken.json" "vocab.json"
    "encoder.json" "vocab.txt"))

(define (%load-from-folder folder)
  "The tokenizer of the first file that the folder has."
  (let ((name (or (find (lambda (name) (file-exists? (%beside folder name)))
                        %tokenizer-names)
                  (find (lambda (name) (string-suffix? ".tiktoken" name))
                        (list-folder folder)))))
    (unless name
      (error (format "load-tokenizer: the folder ~s has no tokenizer.json, \
tokenizer.model, vocab.json or vocab.txt"
                     folder)))
    (%load-from-file (%beside folder name) folder name)))

(define (%load-from-file path folder name)
  "The tokenizer in a file; folder has its settings."
  (let* ((config (%settings-table (%beside folder "tokenizer_config.json")))
         (names (%token-names folder config))
         (with (lambda (object)
                 (%with-settings (%kind-of object) object '()
                                 folder config names))))
    (cond ((member name '("merges.txt" "vocab.bpe"))
           (%load-from-file (%vocabulary-beside path folder) folder
                            "vocab.json"))
          ((string-suffix? ".txt" name)
           (with (%word-pieces path config names)))
          ((member name '("vocab.json" "encoder.json"))
           (with (%byte-pairs path folder config names)))
          ((and (string-prefix? "tekken" name) (string-suffix? ".json" name))
           (%tekken path folder config names))
          ((string-suffix? ".json" name)
           (with (%procedure "load-tokenizer" path)))
          ((%procedure "count-ranks" path) (load-tiktoken path))
          ((string-contains name ".model")
           (let ((made (%load-sentencepiece path config)))
             (%with-settings (tokenizer-kind made)
                             (%tokenizer-object "load-tokenizer" made)
                             (%tokenizer-field "load-tokenizer" made 3)
                             folder config names)))
          (else (with (%procedure "load-tokenizer" path))))))

(define (%kind-of object)
  "The kind of a tokenizer that ctorch has read, which is in its text."
  (string->symbol (cadr (string-split (string-trim (string object)
                                                   (lambda (c)
                                                     (memv c '(#\# #\< #\>))))
                                      " "))))

;; Settings.

(define (%settings-table path)
  "The object in a JSON file; an empty table if there is none."
  (let ((found (if (file-exists? path) (read-json path) (make-hash-table))))
    (unless (hash-table? found)
      (error (format "load-tokenizer: expected an object in ~s" path)))
    found))

(define (%token-names folder config)
  "The special tokens that files name: an alist such as ((\"bos_token\" . \"<s>\"))."
  (let* ((map-path (%beside folder "special_tokens_map.json"))
         (config-path (%beside folder "tokenizer_config.json"))
         (map (%settings-table map-path)))
    (filter-map (lambda (name)
                  (let ((text (or (%token-text config-path config name)
                                  (%token-text map-path map name))))
                    (and text (cons name text))))
                '("bos_token" "eos_token" "unk_token" "sep_token" "pad_token"
                  "cls_token" "mask_token"))))

(define (%token-text path settings name)
  "The text of the token of a name in the settings of a file; #f if it has
  none."
  (let ((x (hash-ref settings name #f)))
    (cond ((%content-of x))
          ((memq x '(null #f)) #f)
          (else
           (%bad-tokenizer-setting path name
                                   "a string, or an object with \"content\","
                                   x)))))

(define (%bad-tokenizer-setting path name expected x)
  "Raise the error for a setting of a tokenizer with the wrong value."
  (error (format "load-tokenizer: ~s: expected ~a for ~s, got ~a" path expected
                 name (%shown-setting x))))

(define (%content-of x)
  "The text of a token, which files write as a string or as an object; or #f."
  (cond ((string? x) x)
        ((hash-table? x) (%content-of (hash-ref x "content" #f)))
        (else #f)))

(define (%with-settings kind object settings folder config names)
  "A tokenizer with the settings of its files, which those of the object precede
  only where the files are silent."
  (let* ((id (lambda (name)
               (let ((text (assoc name names)))
                 (and text (%procedure "token->id" object (cdr text))))))
         (old (lambda (name)
                (let ((found (assq name settings)))
                  (and found (cdr found)))))
         (ends (or (%list-of (id "eos_token")) (old 'eos) '())))
    (%make-tokenizer
     kind object
     `((bos . ,(or (id "bos_token") (old 'bos)))
       (eos . ,(delete-duplicates
                (append ends (%generation-ends folder
                                               (%procedure "vocabulary-size"
                                                           object)))))
       (pad . ,(or (id "pad_token") (old 'pad)))
       (names . ,names)
       (source . ,folder)
       (template . ,(%template-in folder config))))))

(define (%list-of x)
  "A list of x, or #f."
  (and x (list x)))

(define (%generation-ends folder size)
  "The ids that end a text by the folder's generation_config.json."
  (let* ((path (%beside folder "generation_config.json"))
         (found (hash-ref (%settings-table path) "eos_token_id" 'null))
         (all (cond ((eq? found 'null) '())
                    ((list? found) found)
                    (else (list found)))))
    (unless (every exact-integer? all)
      (%bad-tokenizer-setting path "eos_token_id"
                              "an integer, or a list of integers," found))
    (filter (lambda (id) (< -1 id size)) all)))

(define (%template-in folder config)
  "The chat template of a folder: a string, an alist of names and strings, or #f."
  (let ((jinja (%beside folder "chat_template.jinja"))
        (json (%beside folder "chat_template.json")))
    (cond ((file-exists? jinja) (read-text jinja))
          ((file-exists? json) (%named-templates json (%settings-table json)))
          (else
           (%named-templates (%beside folder "tokenizer_config.json")
                             config)))))

(define (%named-templates path settings)
  "The template in the settings of a file, or several as an alist, or #f."
  (define (entry-of x)
    (and (hash-table? x)
         (string? (hash-ref x "template" #f))
         (string? (hash-ref x "name" "default"))
         (cons (hash-ref x "name" "default") (hash-ref x "template"))))
  (let ((x (hash-ref settings "chat_template" #f)))
    (cond ((string? x) x)
          ((memq x '(null #f ())) #f)
          ((and (list? x) (every entry-of x)) (map entry-of x))
          (else
           (%bad-tokenizer-setting path "chat_template"
                                   "a string, or a list of named templates,"
                                   x)))))

;; Files without a tokenizer.json.  An added token is a list of its content, its
;; id or #f, and flags: special, single word, left, right, normalized.

(define (%added-entries folder config names)
  "The added tokens that the files of a folder name."
  (let ((decoder (hash-ref config "added_tokens_decoder" #f))
        (others (%settings-table (%beside folder "added_tokens.json"))))
    (append
     (if (hash-table? decoder)
         (filter-map (lambda (entry)
                       (%added-entry (string->number (car entry)) (cdr entry)))
                     (hash->list decoder))
         '())
     (map (lambda (entry) (list (car entry) (cdr entry) #f #f #f #f #f))
          (filter (lambda (entry) (exact-integer? (cdr entry)))
                  (hash->list others)))
     (map (lambda (entry) (list (cdr entry) #f #t #f #f #f #f)) names))))

(define (%added-entry id x)
  "An entry of added_tokens_decoder, or #f."
  (and (exact-integer? id)
       (>= id 0)
       (%content-of x)
       (let ((flag (lambda (name) (eq? (hash-ref x name #f) #t))))
         (list (%content-of x) id (flag "special") (flag "single_word")
               (flag "lstrip") (flag "rstrip") (flag "normalized")))))

(define (%byte-pairs path folder config names)
  "The object of vocab.json and the merges.txt beside it: byte-level BPE, or
  CLIP's."
  (let* ((clip? (member (hash-ref config "tokenizer_class" #f)
                        '("CLIPTokenizer" "CLIPTokenizerFast")))
         (name (lambda (key otherwise)
                 (let ((found (assoc key names)))
                   (if found (cdr found) otherwise))))
         (first (name "bos_token" "<|startoftext|>"))
         (end (name "eos_token" "<|endoftext|>"))
         (merges (find file-exists?
                       (list (%beside folder "merges.txt")
                             (%beside folder "vocab.bpe"))))
         (on? (lambda (key) (eq? (hash-ref config key #f) #t)))
         (frame (lambda (key name)
                  (let ((found (assoc name names)))
                    (if (and (on? key) found) (list (cdr found)) '())))))
    (unless merges
      (error (format "load-tokenizer: ~s needs merges.txt beside it" path)))
    (%procedure "load-bpe"
                (if clip?
                    (%clip-steps end)
                    (%byte-steps #f (on? "add_prefix_space") #f))
                path merges
                (%added-entries folder config names)
                (if clip? (list first) (frame "add_bos_token" "bos_token"))
                (if clip? (list end) (frame "add_eos_token" "eos_token")))))

(define (%vocabulary-beside path folder)
  "The path of the vocabulary that belongs to a file of merges."
  (or (find file-exists? (list (%beside folder "vocab.json")
                               (%beside folder "encoder.json")))
      (error (format "load-tokenizer: ~s needs vocab.json beside it" path))))

(define (%word-pieces path config names)
  "The object of a vocab.txt: BERT's WordPiece."
  (let* ((name (lambda (key otherwise)
                 (let ((found (assoc key names)))
                   (if found (cdr found) otherwise))))
         (flag (lambda (key otherwise)
                 (let ((found (hash-ref config key otherwise)))
                   (if (boolean? found) found otherwise))))
         (lower (flag "do_lower_case" #t)))
    (%procedure "load-word-pieces"
                (%bert-steps lower (flag "strip_accents" lower)
                             (flag "tokenize_chinese_chars" #t)
                             (name "unk_token" "[UNK]"))
                path
                (%added-entries (%folder-of path) config
                                (append names '(("" . "[UNK]") ("" . "[CLS]")
                                                ("" . "[SEP]") ("" . "[PAD]")
                                                ("" . "[MASK]"))))
                (list (name "cls_token" "[CLS]"))
                (list (name "sep_token" "[SEP]")))))

(define (%tekken path folder config names)
  "The tokenizer of a tekken.json."
  (let* ((object (%procedure "load-tekken" path))
         (id (lambda (name) (%procedure "token->id" object name)))
         (eos (id "</s>")))
    (%with-settings 'bpe object
                    `((bos . ,(id "<s>"))
                      (eos . ,(if eos (list eos) '()))
                      (pad . ,(id "<pad>")))
                    folder config
                    (if (null? names)
                        '(("bos_token" . "<s>") ("eos_token" . "</s>"))
                        names))))
