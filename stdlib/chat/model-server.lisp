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
  (engine %server-engine)
  (table %server-table %set-server-table!)       ; the bytes of tokens, or #f
  (events %server-events %set-server-events!))   ; the latest first

(define (model-server path :dtype #f :device #f :bits #f :threads #f
                      :max-batch 8 :progress #f)
  "A procedure that serves the language model of a folder or a GGUF file; its
  requests share batches of at most max-batch.  The other options are those of
  load-llm.  The procedure takes a symbol, and arguments:

  info: a list of the longest context and the size of the vocabulary.  text-ids TEXT,
  chat-ids MESSAGES TOOLS: the tokens of a prompt; messages and tools are JSON
  texts, tools may be #f.  text IDS: the text of tokens.

  submit IDS OPTIONS: begin a request, and return its number.  options is a JSON
  object with the keywords of generation-settings as names; json, true for an
  answer that is a JSON object; json-schema, the schema that the answer follows;
  and tool-names, the tools whose calls are taken from the text.

  step: one step of all requests: a list of (number text tokens reason count
  problem calls).  tokens are lists of bytes, log-probability, and likeliest
  tokens in pairs; reason is #f until the request ends; count says how many
  tokens it then has, problem what went wrong, if something did, and calls which
  tools the answer calls, as a list of names and arguments in JSON.

  busy: whether there is a request.  cancel NUMBER: end a request."
  (when threads (set-num-threads threads))
  (let ((model (load-llm path :dtype dtype :device device :bits bits
                         :progress progress)))
    (let* ((tokenizer (load-tokenizer path))
           (engine (batch-engine model tokenizer :max-batch max-batch))
           (server (%make-server model tokenizer engine #f '())))
      (lambda (message . arguments)
        (apply (%server-operation message) server arguments)))))

(define (%server-operation message)
  "The procedure that does what a symbol says."
  (case message
    ((info) %server-info)
    ((text-ids) (lambda (s text) (encode (%server-tokenizer s) text)))
    ((chat-ids) %server-chat-ids)
    ((text) (lambda (s ids) (decode (%server-tokenizer s) ids)))
    ((submit) %server-submit)
    ((step) %server-step)
    ((busy) (lambda (s) (> (+ (engine-running (%server-engine s))
                              (engine-waiting (%server-engine s)))
                           0)))
    ((cancel) (lambda (s number) (engine-cancel! (%server-engine s) number)))
    (else (wrong-type "model-server" "a symbol that it knows" message))))

(define (%server-info server)
  (list (model-context (%server-model server))
        (config-ref (%server-model server) "vocab_size")))

;; Prompts.

(define (%server-chat-ids server messages tools)
  "The tokens of a conversation, from JSON texts."
  (encode (%server-tokenizer server)
          (apply-chat-template (%server-tokenizer server)
                               (map %message-of-table (string->json messages))
                               :generation-prompt #t
                               :tools (and tools (string->json tools)))
          :special #f))

(define (%message-of-table table)
  "A message as chat templates take it."
  (hash->list table))

;; Requests.

(define (%server-submit server ids options)
  "Begin a request; its number."
  (let* ((number (list #f))     ; known when the engine has taken the request
         (tokens (list '()))    ; since the last piece, the latest first
         (table (string->json options))
         (names (hash-ref table "tool-names" '()))
         (holder (and (pair? names) (%new-call-holder names))))
    (define (note-token! id log-probability likeliest)
      (set-car! tokens (cons (%shown-token server id log-probability likeliest)
                             (car tokens))))
    (define (note-text! text record)
      (let-values (((text calls) (%without-calls holder names text record)))
        (%set-server-events!
         server
         (cons (list number text (reverse (car tokens))
                     (and record (symbol->string (generation-reason record)))
                     (if record (length (generation-ids record)) 0)
                     (and record (%generation-problem record))
                     calls)
               (%server-events server))))
      (set-car! tokens '()))
    (let ((taken (engine-submit! (%server-engine server) ids
                                 (%engine-options table note-token!)
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

(define (%engine-options table note-token!)
  "The options of a JSON object as the engine takes them."
  (let ((options (append-map %engine-option (hash->list table))))
    (if (assq 'log-probabilities options)
        (cons (cons 'on-token note-token!) options)
        options)))

(define (%engine-option entry)
  "A list of one option, or of none."
  (let ((value (cdr entry)))
    (case (string->symbol (car entry))
      ((json)
       (if value
           (list (cons 'grammar
                       (json-schema-grammar '(("type" . "object")))))
           '()))
      ((json-schema) (list (cons 'grammar (json-schema-grammar value))))
      ((tool-names) '())
      ((logit-bias)
       (list (cons 'logit-bias
                   (map (lambda (pair) (cons (car pair) (cadr pair))) value))))
      (else (list (cons (string->symbol (car entry)) value))))))

(define (%shown-token server id log-probability likeliest)
  "A token as a list: its bytes, its log-probability, the likeliest tokens."
  (list (%token-bytes server id) log-probability
        (map (lambda (entry) (list (%token-bytes server (car entry)) (cdr entry)))
             likeliest)))

(define (%token-bytes server id)
  "The bytes of a token; special tokens show their names."
  (unless (%server-table server)
    (%set-server-table! server (all-token-bytes (%server-tokenizer server))))
  (let ((bytes (vector-ref (%server-table server) id)))
    (if (= (bytevector-length bytes) 0)
        (string->utf8 (or (id->token (%server-tokenizer server) id) ""))
        bytes)))

(define (%server-step server)
  "One step of all requests: what each has got, in order."
  (engine-step! (%server-engine server))
  (let ((events (reverse (%server-events server))))
    (%set-server-events! server '())
    (map (lambda (event) (cons (car (car event)) (cdr event))) events)))
