;; model-server.lisp - a language model that answers many requests at once, for
;; a program that has an event loop: `lambent serve`.
;;
;;     (define server (model-server "folder"))
;;     (server 'submit (server 'text-ids "Once") "{\"max-tokens\": 5}")  => 1
;;     (server 'step)   the pieces of text that one step of all requests gave
;;
;; Requests and pieces are lists and JSON texts, so that the program at the
;; other end needs no Lisp values.

(define-record-type %server
  (%make-server kind model tokenizer adapters engines engine-options thinks table
                events)
  %server?
  (kind %server-kind)                            ; as %served-kind finds it
  (model %server-model)
  (tokenizer %server-tokenizer)
  (adapters %server-adapters)                    ; see served-adapters.lisp
  (engines %server-engines)    ; a vector: without an adapter, then with each
  (engine-options %server-engine-options)        ; keywords of batch-engine
  (thinks %server-thinks?)     ; whether the chat template marks reasoning
  (table %server-table %set-server-table!)       ; the bytes of tokens, or #f
  (events %server-events %set-server-events!))   ; the latest first

(define (model-server path :dtype #f :device #f :bits #f :threads #f
                      :max-batch 8 :adapters '() :progress #f
                      :cache-tokens #f :cache-bits #f :cache-window #f
                      :cache-sinks #f :draft #f :draft-tokens #f :several #f)
  "A procedure that serves the model of a folder or a GGUF file: a language
  model, whose requests share batches of at most max-batch, an encoder, a
  cross-encoder, or Whisper.  adapters: folders of LoRA adapters that requests may
  name; their requests share batches among themselves.  cache-tokens: of how many
  tokens the keys and values have room, for running requests and for those after
  them that begin alike; cache-bits, draft-tokens: see batch-engine, whose window
  and sinks cache-window and cache-sinks are.  draft: the folder of a smaller
  model, or ngrams.  These are for language models, and an error for others unless
  the options are those of several models.  The other options are those of load-llm.
  The procedure takes a symbol, and arguments:

  info: a list of the longest context, the size of the vocabulary, decoder,
  encoder, ranker or listener, whether the chat template marks reasoning, and
  whether there is one.

  text-ids TEXT MOST, chat-ids MESSAGES TOOLS VARIABLES MOST: the tokens of a
  prompt; if they are certainly more than most, only how many the beginning of the
  text has.  messages, tools and variables of the template are JSON texts, tools
  may be #f.  text IDS: the text of tokens.  grammar SCHEMA: what submit takes for
  answers that follow a JSON schema.

  submit IDS OPTIONS GRAMMAR ADAPTER: begin a request, and return its number.
  options is a JSON object with the keywords of generation-settings as names;
  tool-names, the tools whose calls are taken from the text; reasoning, #t if what
  the model thinks is taken from the text; and prompt-log-probabilities, #t for
  those of the prompt.  grammar may be #f.  adapter is its number from 0, or #f.

  step: one step of all requests: a list of (number text tokens reason count
  problem calls prompt-tokens thought thought-count cached).  tokens are lists of
  bytes, log-probability, likeliest tokens in pairs, and whether the token is
  special; reason is #f until the request ends; count says how many tokens it then has,
  problem what went wrong, if something did, and calls which tools the answer
  calls, as a list of names and arguments in JSON; prompt-tokens are like tokens;
  thought is reasoning, and thought-count how many tokens all of it has; cached
  says at the end how many tokens of the prompt were computed before.

  details: a list of the family, the number of parameters, how weights are kept,
  such as F32 or Q8, and the chat template or the empty string.

  busy: whether there is a request.  cancel NUMBER: end a request.  load: a list
  of how many requests run and wait, and of the pages of keys and values: all, those
  in use, and those that are kept for later requests.

  embed TEXTS: the vectors of texts, as lists.  rank QUERY TEXTS: how well each
  text fits, a list of numbers.

  listen PATH OPTIONS: begin to hear a WAV file; a value for hear, which hears one
  window and returns whether that was all, and for heard VALUE KIND, the text that
  format-transcription makes."
  (when threads (set-num-threads threads))
  (let* ((kind (%served-kind path))
         (engine-options (list :cache-tokens cache-tokens :cache-bits cache-bits
                               :cache-window cache-window
                               :cache-sinks cache-sinks :draft draft
                               :draft-tokens draft-tokens))
         (checked (%check-only-decoder
                   path kind (append (list :adapters (and (pair? adapters)
                                                          adapters))
                                     (if several '() engine-options))))
         (model (%served-model path kind dtype device bits progress))
         (tokenizer (load-tokenizer path))
         (engines (make-vector (+ 1 (length adapters)) #f)))
    (let ((server
           (%make-server kind model tokenizer
                         (and (pair? adapters)
                              (%served-adapters model adapters))
                         engines
                         (if (eq? kind 'decoder)
                             (apply %engine-keywords max-batch dtype device
                                    engine-options)
                             '())
                         (and (eq? kind 'decoder)
                              (%template-thinks? tokenizer))
                         #f '())))
      (when (eq? kind 'decoder) (%server-engine server 0))
      (lambda (message . arguments)
        (apply (%server-operation message) server arguments)))))

(define (%check-only-decoder path kind options)
  "Raise an error for options of language models that another model got."
  (unless (or (eq? kind 'decoder) (null? options))
    (when (cadr options)
      (%error-with-hint
       (format "model-server: :~a is for language models, and ~a is ~a"
               (keyword->string (car options)) path
               (case kind
                 ((encoder) "an encoder")
                 ((ranker) "a cross-encoder")
                 (else "a Whisper")))
       '() "leave it out, or serve this model by a process of its own"))
    (%check-only-decoder path kind (cddr options))))

(define (%served-kind path)
  "What a folder or a file holds: decoder, encoder, ranker or listener."
  (let* ((file (string path "/config.json"))
         (config (guard (e ((error-object? e) #f))    ; loading says what is wrong
                   (and (folder? path) (file-exists? file)
                        (%read-settings file)))))
    (cond ((not (folder? path)) 'decoder)
          ((and (hash-table? config)
                (equal? (hash-ref config "model_type" #f) "whisper"))
           'listener)
          ((and (hash-table? config) (%ranks-texts? config)) 'ranker)
          ((file-exists? (string path "/modules.json")) 'encoder)
          ((and (hash-table? config)
                (guard (e ((error-object? e) #f))
                  (%encoder-entry (hash-ref config "model_type" #f))))
           'encoder)
          (else 'decoder))))

(define (%ranks-texts? config)
  "Whether settings are those of a cross-encoder: one label for a whole text."
  (let ((classes (hash-ref config "architectures" '()))
        (labels (hash-ref config "id2label" #f)))
    (and (list? classes)
         (any (lambda (class)
                (and (string? class)
                     (string-suffix? "ForSequenceClassification" class)))
              classes)
         (= 1 (if (hash-table? labels)
                  (hash-size labels)
                  (hash-ref config "num_labels" 2))))))

(define (%served-model path kind dtype device bits progress)
  "The model of a folder or a file."
  (case kind
    ((encoder) (load-encoder path :dtype dtype :device device))
    ((ranker) (load-classifier path :task 'text :dtype dtype :device device))
    ((listener) (load-seq2seq path :dtype dtype :device device :bits bits
                              :progress progress))
    (else (load-llm path :dtype dtype :device device :bits bits
                    :progress progress))))

(define (%template-thinks? tokenizer)
  "Whether a chat template marks reasoning."
  (define (marks? template)
    (cond ((string? template)
           (and (string-contains template %reasoning-start) #t))
          ((pair? template) (any marks? (map cdr template)))
          (else #f)))
  (marks? (chat-template tokenizer)))

(define (%server-engine server k)
  "The engine of the requests without an adapter, or with that before k.  Most
  adapters are not used at the same time, and each has its pages."
  (let ((engines (%server-engines server)))
    (or (vector-ref engines k)
        (let ((engine (apply batch-engine (%server-model server)
                             (%server-tokenizer server)
                             (%server-engine-options server))))
          (vector-set! engines k engine)
          engine))))

(define (%engine-keywords max-batch dtype device
                          :cache-tokens #f :cache-bits #f :cache-window #f
                          :cache-sinks #f :draft #f :draft-tokens #f)
  "The keywords of the engines of a server; the model that drafts is loaded
  once."
  (append (list :max-batch max-batch :cache-bits cache-bits
                :window cache-window :sinks cache-sinks
                :draft (if (string? draft)
                           (load-llm draft :dtype dtype :device device)
                           draft)
                :draft-tokens (or draft-tokens 4))
          (if cache-tokens
              (list :pages (%page-count cache-tokens %server-page)
                    :page-size %server-page)
              '())))

(define %server-page 16)     ; tokens

(define (%server-operation message)
  "The procedure that does what a symbol says."
  (case message
    ((info) %server-info)
    ((details) %server-details)
    ((text-ids) (lambda (s text most)
                  (%bounded-ids (%server-tokenizer s) text most #t)))
    ((chat-ids) %server-chat-ids)
    ((text) (lambda (s ids) (decode (%server-tokenizer s) ids)))
    ((grammar) (lambda (s schema) (json-schema-grammar schema)))
    ((submit) %server-submit)
    ((step) %server-step)
    ((busy) (lambda (s) (any %engine-busy? (%begun-engines s))))
    ((cancel) %server-cancel)
    ((load) %server-load)
    ((embed) (lambda (s texts)
               (tensor->list (embed (%server-model s) (%server-tokenizer s)
                                    texts))))
    ((rank) %server-rank)
    ((listen) %server-listen)
    ((hear) %server-hear)
    ((heard) %server-heard)
    (else (wrong-type "model-server" "a symbol that it knows" message))))

(define (%server-info server)
  (let ((model (%server-model server)))
    (append
     (case (%server-kind server)
       ((decoder)
        (list (%served-context model (%server-engine-options server))
              (config-ref model "vocab_size") "decoder"))
       ((listener)
        (list (model-context (seq2seq-decoder model))
              (config-ref (seq2seq-config model) "vocab_size") "listener"))
       ((ranker)
        (list (%classifier-length model #f)
              (config-ref (classifier-config model) "vocab_size") "ranker"))
       (else
        (list (%most-tokens model (%sentence-of model))
              (if (text-encoder? model)
                  (config-ref (text-encoder-config model) "vocab_size")
                  (config-ref (decoder-encoder-decoder model) "vocab_size"))
              "encoder")))
     (list (%server-thinks? server)
           (and (eq? (%server-kind server) 'decoder)
                (chat-template (%server-tokenizer server))
                #t)))))

(define (%server-details server)
  (let* ((model (%server-model server))
         (kept (%weights-kept model))
         (template (chat-template (%server-tokenizer server)))
         (config (case (%server-kind server)
                   ((decoder) (decoder-config model))
                   ((listener) (seq2seq-config model))
                   ((ranker) (classifier-config model))
                   (else (if (text-encoder? model)
                             (text-encoder-config model)
                             (decoder-config
                              (decoder-encoder-decoder model)))))))
    (list (config-ref config "model_type" "unknown")
          (car kept)
          (cdr kept)
          (cond ((string? template) template)
                ((and (pair? template) (assoc "default" template)) => cdr)
                (else "")))))

(define (%integer-weights layer)
  "How a layer keeps its weights as integers, as Ollama names it, and how many:
  a pair, or #f."
  (cond ((int8-linear? layer)
         (cons "Q8" (* (int8-linear-in-features layer)
                       (int8-linear-out-features layer))))
        ((int4-linear? layer)
         (cons "Q4" (* (int4-linear-in-features layer)
                       (int4-linear-out-features layer))))
        ((code-linear? layer)
         (cons "NF4" (* (code-linear-in-features layer)
                        (code-linear-out-features layer))))
        ((block-linear? layer)
         (cons (string (block-linear-type layer))
               (* (block-linear-in-features layer)
                  (block-linear-out-features layer))))
        ((quantized-embedding? layer)
         (cons "Q8" (* (quantized-embedding-num-embeddings layer)
                       (quantized-embedding-embedding-dim layer))))
        (else #f)))

(define (%weights-kept model)
  "How many weights a model has, and how most matrices are kept: a pair."
  (let ((found (filter-map (lambda (entry) (%integer-weights (cdr entry)))
                           (named-modules model))))
    (cons (apply + (parameter-count model) (map cdr found))
          (let ((linear (filter (lambda (pair) (not (equal? "Q8" (car pair))))
                                found)))
            (cond ((pair? linear) (%kind-of-most linear))
                  ((pair? found) "Q8")
                  (else
                   (case (tensor-dtype (car (parameters model)))
                     ((float64) "F64")
                     ((float32) "F32")
                     ((bfloat16) "BF16")
                     (else "F16"))))))))

(define (%kind-of-most found)
  "The kind that most weights have, of pairs of a kind and a number of weights."
  (define (weights kind)
    (apply + (filter-map (lambda (pair) (and (equal? kind (car pair)) (cdr pair)))
                         found)))
  (car (list-sort (lambda (a b) (> (weights a) (weights b)))
                  (delete-duplicates (map car found)))))

(define (%served-context model options)
  "How many tokens a text may have in engines with these options."
  (if (cadr (memq :window options)) %endless-context (model-context model)))

(define (%server-rank server query texts)
  "How well texts fit a query: a cross-encoder reads both together, and an
  encoder compares their vectors."
  (let ((model (%server-model server)) (tokenizer (%server-tokenizer server)))
    (if (eq? (%server-kind server) 'ranker)
        (map cdr (sort (rerank model tokenizer query texts)
                       (lambda (a b) (< (car a) (car b)))))
        (car (tensor->list
              (embedding-similarity model
                                    (embed model tokenizer (list query))
                                    (embed model tokenizer texts)))))))

;; Prompts.

(define (%server-chat-ids server messages tools variables most)
  "The tokens of a conversation, from JSON texts."
  (let* ((variables (string->json variables))
         (given (hash-ref variables "add_generation_prompt" #t)))
    (hash-delete! variables "add_generation_prompt")
    (%bounded-ids (%server-tokenizer server)
                  (apply-chat-template (%server-tokenizer server)
                                       (map %message-of-table
                                            (string->json messages))
                                       :generation-prompt (eq? given #t)
                                       :tools (and tools (string->json tools))
                                       :variables (hash->list variables))
                  most #f)))

(define (%message-of-table table)
  "A message as chat templates take it."
  (hash->list table))

(define %characters-a-token 4)   ; of usual texts
(define %boundary-tokens 1000)   ; how many may change where a text is cut

(define (%bounded-ids tokenizer text most special)
  "The tokens of a text; if they are certainly more than most, how many its
  beginning has.  Beginnings are tried, each four times as long as the one
  before, so a text that is far too long costs as much as one that is not."
  (let ((n (string-length text)))
    (let loop ((size (* %characters-a-token (+ most %boundary-tokens))))
      (if (>= size n)
          (encode tokenizer text :special special)
          (let ((count (length (encode tokenizer (substring text 0 size)
                                       :special special))))
            (if (> count (+ most %boundary-tokens))
                count
                (loop (* 4 size))))))))

;; Requests.

(define (%server-submit server ids options grammar adapter)
  "Begin a request; its number."
  (let* ((number (list #f))     ; known when the engine has taken the request
         (tokens (list '()))    ; since the last piece, the latest first
         (of-prompt (list '()))
         (table (string->json options))
         (names (hash-ref table "tool-names" '()))
         (holder (and (pair? names) (%new-call-holder names)))
         (begun (%begins-in-reasoning? server ids table grammar))
         (splitter (and (hash-ref table "reasoning" #f)
                        (%new-reasoning-splitter begun)))
         (engine (if adapter (+ adapter 1) 0)))
    (define (noting cell)
      (lambda (id log-probability likeliest)
        (set-car! cell (cons (%shown-token server id log-probability likeliest)
                             (car cell)))))
    (define (taken! cell)
      (let ((found (reverse (car cell))))
        (set-car! cell '())
        found))
    (define (note-text! text record)
      (let*-values (((thought text) (%without-reasoning splitter text record))
                    ((whole thoughts) (%whole-answer splitter begun record))
                    ((text calls) (%without-calls holder names text whole)))
        (%set-server-events!
         server
         (cons (list number text (taken! tokens)
                     (and record (symbol->string (generation-reason record)))
                     (if record (length (generation-ids record)) 0)
                     (and record (%generation-problem record))
                     calls
                     (taken! of-prompt)
                     thought
                     (%token-count server thoughts)
                     (if record
                         (cdr (assq 'cached-tokens
                                    (generation-statistics record)))
                         0))
               (%server-events server)))))
    (let ((taken (engine-submit! (%server-engine server engine) ids
                                 (%engine-options table grammar (noting tokens)
                                                  (noting of-prompt))
                                 note-text!)))
      (set-car! number (%request-number server engine taken))
      (car number))))

(define (%request-number server engine id)
  "The number of a request that an engine knows by an id."
  (+ engine (* id (vector-length (%server-engines server)))))

(define (%server-cancel server number)
  (let ((count (vector-length (%server-engines server))))
    (engine-cancel! (%server-engine server (modulo number count))
                    (quotient number count))))

;; Reasoning.

(define %prompt-end 16)     ; tokens, among which the template's last mark is

(define (%begins-in-reasoning? server ids table grammar)
  "Whether the prompt of a request ends with the mark that begins reasoning."
  (and (hash-ref table "reasoning" #f)
       (not grammar)
       (string-suffix? %reasoning-start
                       (string-trim-right
                        (decode (%server-tokenizer server)
                                (take-right ids (min %prompt-end
                                                     (length ids))))))))

(define (%without-reasoning splitter text record)
  "The parts of a piece of text: reasoning, and the rest."
  (if splitter
      (%split-reasoning! splitter text (and record #t))
      (values "" text)))

(define (%whole-answer splitter begun record)
  "The text of a request that has ended without reasoning, or #f, and the
  reasoning."
  (cond ((not record) (values #f ""))
        (splitter (parse-reasoning (generation-text record) :begun begun))
        (else (values (generation-text record) ""))))

(define (%token-count server text)
  (if (string-null? text)
      0
      (length (encode (%server-tokenizer server) text :special #f))))

;; Calls of tools.

(define (%without-calls holder names text whole)
  "The part of a piece of text that can be shown now, and the calls of tools if
  the request has ended and has the whole answer: a list of names and arguments
  in JSON."
  (if (not holder)
      (values text '())
      (let ((shown (%pass-text! holder text)))
        (if (not whole)
            (values shown '())
            (let-values (((content calls)
                          (parse-tool-calls
                           whole
                           :tools (map (lambda (name)
                                         (list (cons "name" name)))
                                       names))))
              (let ((written (map %shown-call calls)))
                (if (and (pair? calls) (every pair? written))
                    (values shown written)
                    (values (string shown (%held-text holder)) '()))))))))

(define (%shown-call call)
  "The name and the arguments of a call; #f if JSON has no such arguments, as for
  a number that is too large."
  (guard (e (#t #f))
    (list (tool-call-name call)
          (call-with-output-string
           (lambda (port) (write-json (tool-call-arguments call) port))))))

(define (%generation-problem record)
  "What went wrong in a request, or #f."
  (let ((found (assq 'error (generation-statistics record))))
    (and found (cdr found))))

(define (%engine-options table grammar note-token! note-prompt-token!)
  "The options of a JSON object as the engine takes them."
  (let ((options (append-map %engine-option (hash->list table))))
    (append (if grammar (list (cons 'grammar grammar)) '())
            (if (assq 'log-probabilities options)
                (list (cons 'on-token note-token!))
                '())
            (if (hash-ref table "prompt-log-probabilities" #f)
                (list (cons 'on-prompt-token note-prompt-token!))
                '())
            options)))

(define (%engine-option entry)
  "A list of one option, or of none."
  (let ((value (cdr entry)))
    (case (string->symbol (car entry))
      ((tool-names reasoning prompt-log-probabilities) '())
      ((logit-bias)
       (list (cons 'logit-bias
                   (map (lambda (pair) (cons (car pair) (cadr pair))) value))))
      (else (list (cons (string->symbol (car entry)) value))))))

(define (%shown-token server id log-probability likeliest)
  "A token as a list: its bytes, its log-probability, the likeliest tokens, and
  whether it is special, so that texts do not have it."
  (list (%token-bytes server id) log-probability
        (map (lambda (entry) (list (%token-bytes server (car entry)) (cdr entry)))
             likeliest)
        (= 0 (bytevector-length (%text-bytes server id)))))

(define (%token-bytes server id)
  "The bytes of a token; special tokens show their names."
  (unless (%server-table server)
    (%set-server-table! server (all-token-bytes (%server-tokenizer server))))
  (let ((bytes (%text-bytes server id)))
    (if (= (bytevector-length bytes) 0)
        (string->utf8 (or (id->token (%server-tokenizer server) id) ""))
        bytes)))

(define (%text-bytes server id)
  "The bytes that a token adds to a text.  Models may have more tokens than
  their tokenizers."
  (let ((table (%server-table server)))
    (if (< id (vector-length table)) (vector-ref table id) (bytevector))))

(define (%begun-engines server)
  "The engines that have had a request."
  (filter values (vector->list (%server-engines server))))

(define (%engine-busy? engine)
  "Whether an engine has a request."
  (> (+ (engine-running engine) (engine-waiting engine)) 0))

(define (%server-load server)
  "How many requests run and wait, and how many pages there are, are in use, and
  are kept."
  (let ((all (map engine-statistics (%begun-engines server))))
    (map (lambda (name)
           (apply + (map (lambda (each) (cdr (assq name each))) all)))
         '(running waiting pages used-pages kept-pages))))

(define (%server-step server)
  "One step of all requests: what each has got, in order."
  (for-each
   (lambda (engine k)
     (when (and engine (%engine-busy? engine))
       (when (%server-adapters server)
         (%use-adapter! (%server-adapters server) (and (> k 0) (- k 1))))
       (engine-step! engine)))
   (vector->list (%server-engines server))
   (iota (vector-length (%server-engines server))))
  (let ((events (reverse (%server-events server))))
    (%set-server-events! server '())
    (map (lambda (event) (cons (car (car event)) (cdr event))) events)))
