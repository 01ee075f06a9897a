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
  (%make-server model tokenizer engine table events)
  %server?
  (model %server-model)
  (tokenizer %server-tokenizer)
  (engine %server-engine)                        ; or #f, for an encoder
  (table %server-table %set-server-table!)       ; the bytes of tokens, or #f
  (events %server-events %set-server-events!))   ; the latest first

(define (model-server path :dtype #f :device #f :bits #f :threads #f
                      :max-batch 8 :progress #f)
  "A procedure that serves the model of a folder or a GGUF file: a language
  model, whose requests share batches of at most max-batch, or an encoder.  The
  other options are those of load-llm.  The procedure takes a symbol, and
  arguments:

  info: a list of the longest context, the size of the vocabulary, and encoder
  or decoder.  text-ids TEXT MOST, chat-ids MESSAGES TOOLS VARIABLES MOST: the
  tokens of a prompt; if they are certainly more than most, only how many the
  beginning of the text has.  messages, tools and variables of the template are
  JSON texts, tools may be #f.  text IDS: the text of tokens.  grammar SCHEMA:
  what submit takes for answers that follow a JSON schema.

  submit IDS OPTIONS GRAMMAR: begin a request, and return its number.  options
  is a JSON object with the keywords of generation-settings as names;
  tool-names, the tools whose calls are taken from the text; and
  prompt-log-probabilities, #t for those of the prompt.  grammar may be #f.

  step: one step of all requests: a list of (number text tokens reason count
  problem calls prompt-tokens).  tokens are lists of bytes, log-probability,
  likeliest tokens in pairs, and whether the token is special; reason is #f
  until the request ends; count says how many tokens it then has, problem what
  went wrong, if something did, and calls which tools the answer calls, as a
  list of names and arguments in JSON; prompt-tokens are like tokens.

  busy: whether there is a request.  cancel NUMBER: end a request.
  embed TEXTS: the vectors of texts, as lists."
  (when threads (set-num-threads threads))
  (let* ((encoder? (%encoder-folder? path))
         (model (if encoder?
                    (load-encoder path :dtype dtype :device device)
                    (load-llm path :dtype dtype :device device :bits bits
                              :progress progress)))
         (tokenizer (load-tokenizer path))
         (engine (and (not encoder?)
                      (batch-engine model tokenizer :max-batch max-batch)))
         (server (%make-server model tokenizer engine #f '())))
    (lambda (message . arguments)
      (apply (%server-operation message) server arguments))))

(define (%encoder-folder? path)
  "Whether a folder has the settings of an encoder."
  (let ((file (string path "/config.json")))
    (and (folder? path) (file-exists? file)
         (guard (e ((error-object? e) #f))       ; load-llm says what is wrong
           (and (%encoder-entry (hash-ref (string->json (read-text file))
                                          "model_type" #f))
                #t)))))

(define (%server-operation message)
  "The procedure that does what a symbol says."
  (case message
    ((info) %server-info)
    ((text-ids) (lambda (s text most)
                  (%bounded-ids (%server-tokenizer s) text most #t)))
    ((chat-ids) %server-chat-ids)
    ((text) (lambda (s ids) (decode (%server-tokenizer s) ids)))
    ((grammar) (lambda (s schema) (json-schema-grammar schema)))
    ((submit) %server-submit)
    ((step) %server-step)
    ((busy) (lambda (s) (> (+ (engine-running (%server-engine s))
                              (engine-waiting (%server-engine s)))
                           0)))
    ((cancel) (lambda (s number) (engine-cancel! (%server-engine s) number)))
    ((embed) (lambda (s texts)
               (tensor->list (embed (%server-model s) (%server-tokenizer s)
                                    texts))))
    (else (wrong-type "model-server" "a symbol that it knows" message))))

(define (%server-info server)
  (let ((model (%server-model server)))
    (if (%server-engine server)
        (list (model-context model) (config-ref model "vocab_size") "decoder")
        (list (text-encoder-context model)
              (config-ref (text-encoder-config model) "vocab_size")
              "encoder"))))

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

(define (%server-submit server ids options grammar)
  "Begin a request; its number."
  (let* ((number (list #f))     ; known when the engine has taken the request
         (tokens (list '()))    ; since the last piece, the latest first
         (of-prompt (list '()))
         (table (string->json options))
         (names (hash-ref table "tool-names" '()))
         (holder (and (pair? names) (%new-call-holder names))))
    (define (noting cell)
      (lambda (id log-probability likeliest)
        (set-car! cell (cons (%shown-token server id log-probability likeliest)
                             (car cell)))))
    (define (taken! cell)
      (let ((found (reverse (car cell))))
        (set-car! cell '())
        found))
    (define (note-text! text record)
      (let-values (((text calls) (%without-calls holder names text record)))
        (%set-server-events!
         server
         (cons (list number text (taken! tokens)
                     (and record (symbol->string (generation-reason record)))
                     (if record (length (generation-ids record)) 0)
                     (and record (%generation-problem record))
                     calls
                     (taken! of-prompt))
               (%server-events server)))))
    (let ((taken (engine-submit! (%server-engine server) ids
                                 (%engine-options table grammar (noting tokens)
                                                  (noting of-prompt))
                                 note-text!)))
      (set-car! number taken)
      taken)))

(define (%without-calls holder names text record)
  "The part of a piece of text that can be shown now, and the calls of tools if
  the request has ended: a list of names and arguments in JSON."
  (if (not holder)
      (values text '())
      (let ((shown (%pass-text! holder text)))
        (if (not record)
            (values shown '())
            (let-values (((content calls)
                          (parse-tool-calls
                           (generation-text record)
                           :tools (map (lambda (name)
                                         (list (cons "name" name)))
                                       names))))
              (if (null? calls)
                  (values (string shown (%held-text holder)) '())
                  (values shown (map %shown-call calls))))))))

(define (%shown-call call)
  "The name and the arguments of a call."
  (list (tool-call-name call)
        (call-with-output-string
         (lambda (port) (write-json (tool-call-arguments call) port)))))

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
      ((tool-names prompt-log-probabilities) '())
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

(define (%server-step server)
  "One step of all requests: what each has got, in order."
  (engine-step! (%server-engine server))
  (let ((events (reverse (%server-events server))))
    (%set-server-events! server '())
    (map (lambda (event) (cons (car (car event)) (cdr event))) events)))
