;; batch-engine.lisp - many requests at once: continuous batching.
;;
;; Requests come and go at any time.  Each step computes the next token of all
;; that run, as one batch; their keys and values lie in pages of one pool, so
;; that texts of all lengths share its memory.  A new request's prompt is
;; computed in parts between the steps of the others:
;;
;;     waiting  =>  prefilling  =>  decoding  =>  done
;;        ^------- no page is left -----|
;;
;; When the pool is full, the latest request gives its pages back and waits; its
;; tokens are computed again when there is room.  Pages of tokens that others
;; begin with are shared, and kept after a request (stdlib/llm/kept-pages.lisp).

(define-record-type <batch-engine>
  (%make-engine model tokenizer pool pages page-size max-batch prefill shares
                draft draft-tokens pace waiting running next-id steps tokens)
  batch-engine?
  (model %engine-model)
  (tokenizer %engine-tokenizer)
  (pool %engine-pool)
  (pages %engine-pages)
  (page-size %engine-page-size)
  (max-batch %engine-max-batch)
  (prefill %engine-prefill)             ; tokens of a prompt in one step
  (shares %engine-shares?)              ; whether texts share pages
  (draft %engine-draft)                 ; see drafts.lisp, or #f
  (draft-tokens %engine-draft-tokens)
  (pace %engine-pace %set-engine-pace!) ; tokens of prompts in a second, or #f
  (waiting %engine-waiting-requests %set-engine-waiting!)   ; oldest first
  (running %engine-running-requests %set-engine-running!)   ; likewise
  (next-id %engine-next-id %set-engine-next-id!)
  (steps %engine-steps %set-engine-steps!)
  (tokens %engine-tokens %set-engine-tokens!))

(define-record-type %request
  (%make-request id prompt settings on-text limit run sequence fed reused scored
                 start first drafter)
  %request?
  (id %request-id)
  (prompt %request-prompt)
  (settings %request-settings)
  (on-text %request-on-text)
  (limit %request-limit)
  (run %request-run %set-request-run!)            ; after the prompt, or #f
  (sequence %request-sequence %set-request-sequence!)   ; in the pool, or #f
  (fed %request-fed %set-request-fed!)            ; tokens in the pool
  (reused %request-reused %set-request-reused!)   ; tokens that others left, #f
  (scored %request-scored %set-request-scored!)   ; tokens of the prompt
  (start %request-start)                          ; when it was submitted
  (first %request-first %set-request-first!)      ; when its first token came
  (drafter %request-drafter %set-request-drafter!))     ; or #f

(define (batch-engine model tokenizer :pages #f :page-size 16 :max-batch 8
                                      :prefill 256 :share #t :cache-bits #f
                                      :window #f :sinks #f :draft #f :draft-tokens 4)
  "An engine that generates the texts of many requests together.

  engine-submit! adds a request, engine-step! computes the next token of all
  that run, engine-run! goes on until all are done.  max-batch: how many run at
  once; others wait.  pages: of the pool of keys and values, each for page-size
  tokens of one text; by default enough for max-batch texts of 1,024 tokens, or
  of the model's context if that is less, and for one text of the context, or of
  32,768 tokens.  prefill: how many tokens of a prompt are computed in one step
  at most; fewer while other requests are writing, so that these wait little.

  share: whether requests that begin alike compute that once.  Pages are kept
  after a request, until others need their place; cached-tokens of a
  generation's statistics says how many tokens of the prompt were there.
  cache-bits: 8 or 4 to keep keys and values in int8 or int4.  window and sinks:
  of paged-cache; texts may then be longer than the model's context.

  draft: a smaller model, or ngrams, as for generate: it proposes draft-tokens
  tokens at a time for a request that writes alone; several use the processor
  as well without."
  (unless (language-model? model)
    (wrong-type "batch-engine" "a language model, as load-llm returns," model))
  (unless (or (not tokenizer) (tokenizer? tokenizer))
    (wrong-type "batch-engine" "a tokenizer, or #f" tokenizer))
  (%check-counts "batch-engine" (list (list "page-size" page-size 1)
                                      (list "max-batch" max-batch 1)
                                      (list "prefill" prefill 1)
                                      (list "draft-tokens" draft-tokens 1)))
  (%check-optional-counts "batch-engine" (list (list "pages" pages)))
  (when draft (%check-drafter "batch-engine" model draft))
  (when (training? model) (eval-mode! model))
  (let* ((pool (paged-cache model :pages (or pages 1) :page-size page-size
                            :bits cache-bits :window window :sinks sinks))
         (streaming (%pool-streaming pool))
         (most (%most-pages pool prefill))        ; of a text with a window
         (pages (or pages
                    (if most
                        (* max-batch most)
                        (%usual-pages (model-context model) max-batch
                                      page-size)))))
    (when (and draft streaming)
      (%check-streaming-drafter "batch-engine" draft streaming))
    (when (and most (< pages most))
      (%error-with-hint
       (string "batch-engine: " pages " pages do not hold a text with this window")
       '() (string ":pages " most " hold one")))
    (%make-engine model tokenizer
                  (paged-cache model :pages pages :page-size page-size
                               :bits cache-bits :window window :sinks sinks)
                  pages page-size max-batch prefill share draft draft-tokens #f
                  '() '() 0 0 0)))

(define %usual-text 1024)     ; tokens
(define %longest-usual 32768)

(define (%usual-pages context max-batch page-size)
  "The pages of a pool unless something else is asked for."
  (max (* max-batch (%page-count (min %usual-text context) page-size))
       (%page-count (min context %longest-usual) page-size)))

(define (%page-count tokens page-size)
  "The pages that so many tokens of one text take."
  (quotient (+ tokens page-size -1) page-size))

(define (engine-submit! engine prompt options on-text)
  "Add a request, and return its id, an integer.

  prompt: a string or a list of tokens.  options: an alist of the names of
  generation-settings' keywords, such as '((max-tokens . 20) (top-k . 5)), or
  settings.  on-text: a procedure of (text result), or #f: it is called with
  each piece of text that is certain and #f; and once, at the end, with the
  empty string and the generation.  An error in one request, also of on-text,
  ends only that request; its reason is error."
  (%check-engine "engine-submit!" engine)
  (let* ((settings (if (generation-settings? options)
                       options
                       (%settings-of-alist options)))
         (prompt (%prompt-ids "engine-submit!" (%engine-model engine)
                              (%engine-tokenizer engine) prompt))
         (id (%engine-next-id engine)))
    (%check-request engine settings)
    (let ((request (%make-request id prompt settings on-text
                                  (%request-room engine prompt settings)
                                  #f #f 0 #f 0 (%now) #f #f)))
      (%set-engine-next-id! engine (+ id 1))
      (%set-engine-waiting! engine
                            (append (%engine-waiting-requests engine)
                                    (list request)))
      id)))

(define (%check-engine who x)
  (unless (batch-engine? x) (wrong-type who "a batch engine" x)))

(define (%check-request engine settings)
  "Raise an error for settings that a request cannot have."
  (when (or (%settings-beams settings) (%settings-draft settings)
            (%settings-cache settings) (%settings-window settings)
            (> (%settings-count settings) 1))
    (error (string "engine-submit!: a request does not take :beams, :draft, "
                   ":cache, :window or :count")))
  (when (and (not (%engine-tokenizer engine))
             (or (pair? (%settings-stop settings))
                 (%settings-grammar settings)))
    (error "engine-submit!: :stop and :grammar need a tokenizer")))

(define (%request-room engine prompt settings)
  "How many tokens a request may generate, by the context and by the pool."
  (if (%pool-streaming (%engine-pool engine))
      (%settings-max-tokens settings)
      (%room-in-pool engine prompt settings)))

(define (%room-in-pool engine prompt settings)
  "%request-room where a text has a page for each of its tokens."
  (let* ((limit (%token-limit (%engine-model engine) prompt settings))
         (room (* (%engine-pages engine) (%engine-page-size engine)))
         (n (length prompt)))
    (when (>= n room)
      (%error-with-hint
       (string "engine-submit!: the prompt has " n " tokens, and all pages of "
               "the engine hold " room)
       '()
       (string ":pages " (* 2 (%page-count n (%engine-page-size engine)))
               " hold it and as much after it")))
    (min limit (- room n))))

(define (engine-waiting engine)
  "How many requests wait."
  (%check-engine "engine-waiting" engine)
  (length (%engine-waiting-requests engine)))

(define (engine-running engine)
  "How many requests run."
  (%check-engine "engine-running" engine)
  (length (%engine-running-requests engine)))

(define (engine-run! engine)
  "Step until no request is left."
  (when (engine-step! engine) (engine-run! engine)))

(define (engine-cancel! engine id)
  "End a request; its reason is stopped.  Whether there was such a request."
  (%check-engine "engine-cancel!" engine)
  (let ((request (find (lambda (request) (= id (%request-id request)))
                       (append (%engine-running-requests engine)
                               (%engine-waiting-requests engine)))))
    (and request
         (begin (%end-request! engine request 'stopped #f) #t))))

(define (engine-statistics engine)
  "An alist: steps, tokens (generated), waiting, running, pages, used-pages,
  kept-pages (of earlier requests)."
  (%check-engine "engine-statistics" engine)
  (list (cons 'steps (%engine-steps engine))
        (cons 'tokens (%engine-tokens engine))
        (cons 'waiting (engine-waiting engine))
        (cons 'running (engine-running engine))
        (cons 'pages (%engine-pages engine))
        (cons 'used-pages (- (%engine-pages engine) (%free-pages engine)))
        (cons 'kept-pages (paged-kept-pages (%engine-pool engine)))))
