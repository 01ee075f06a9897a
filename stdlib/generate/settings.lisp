;; settings.lisp - what users may say about a generation.
;;
;; generate, generate-result, chat-reply and the requests of a batch engine take
;; the same keywords.  They are those of generation-settings, which checks them
;; once; everything after it reads the record.

(define-record-type <generation-settings>
  (%make-settings max-tokens temperature top-k top-p min-p typical-p greedy
                  repetition frequency presence bias stop stop-ids ignore-eos
                  seed count stream on-token on-prompt-token
                  log-probabilities grammar allow beams length-penalty
                  early-stopping draft draft-tokens cache keep-cache cache-bits
                  window sinks prefill progress context tools template processor)
  generation-settings?
  (max-tokens %settings-max-tokens)
  (temperature %settings-temperature)
  (top-k %settings-top-k)
  (top-p %settings-top-p)
  (min-p %settings-min-p)
  (typical-p %settings-typical-p)
  (greedy %settings-greedy)             ; also for a temperature of 0
  (repetition %settings-repetition)
  (frequency %settings-frequency)
  (presence %settings-presence)
  (bias %settings-bias)
  (stop %settings-stop)                 ; a list of strings
  (stop-ids %settings-stop-ids)
  (ignore-eos %settings-ignore-eos)
  (seed %settings-seed)
  (count %settings-count)
  (stream %settings-stream)
  (on-token %settings-on-token)
  (on-prompt-token %settings-on-prompt-token)
  (log-probabilities %settings-log-probabilities)   ; #f, or how many others
  (grammar %settings-grammar)
  (allow %settings-allow)
  (beams %settings-beams)
  (length-penalty %settings-length-penalty)
  (early-stopping %settings-early-stopping)
  (draft %settings-draft)
  (draft-tokens %settings-draft-tokens)
  (cache %settings-cache)
  (keep-cache %settings-keep-cache)
  (cache-bits %settings-cache-bits)
  (window %settings-window)
  (sinks %settings-sinks)
  (prefill %settings-prefill)
  (progress %settings-progress)
  (context %settings-context)
  (tools %settings-tools)
  (template %settings-template)
  (processor %settings-processor        ; of logits and tokens, or #f
             %set-settings-processor!))

(define (generation-settings
         :max-tokens 128 :temperature 1.0 :top-k #f :top-p #f :min-p #f
         :typical-p #f :greedy #f :repetition-penalty #f :frequency-penalty #f
         :presence-penalty #f :logit-bias '() :stop '() :stop-ids '()
         :ignore-eos #f :seed #f :count 1 :stream #f :on-token #f
         :on-prompt-token #f
         :log-probabilities #f :grammar #f :allow #f :beams #f
         :length-penalty 1.0 :early-stopping #f :draft #f :draft-tokens 4
         :cache #f :keep-cache #f :cache-bits #f :window #f :sinks #f
         :prefill 512 :progress #f :context #f
         :tools #f :template #f :logit-processor #f)
  "How text is generated: the keywords of generate, generate-result, chat-reply
  and engine-submit!, checked.

  max-tokens: how many are generated at most; the model's context is a limit,
  too.  temperature, top-k, top-p, min-p, typical-p: see filter-logits; greedy,
  or a temperature of 0, takes the most likely token.  repetition-penalty,
  frequency-penalty, presence-penalty: see penalize-logits.  logit-bias: an
  alist of tokens and numbers that are added to their logits.

  stop: a string or a list of strings that end the text, which does not contain
  them.  stop-ids: tokens that do, beside those of the tokenizer, which
  ignore-eos makes ordinary.  seed: an integer, the same for the same text; the
  text with index k has seed + k.  Without one, manual-seed decides.  count: how
  many texts for each prompt.

  stream: a procedure of each new piece of text; where there are several texts,
  of the piece and the text's index.  on-token: a procedure of each token, its
  log-probability and the likeliest tokens, if log-probabilities is given.
  log-probabilities: #t to keep the log-probability of each token, an integer to
  keep so many of the likeliest tokens, too.  on-prompt-token: for a request of a
  batch engine, the same as on-token for the tokens of the prompt; the first one
  has no log-probability, #f.

  grammar: of make-grammar, json-grammar or json-schema-grammar; or a procedure
  of a text that says whether the generated text may begin so.  allow: a
  procedure of the list of tokens generated so far, which returns the tokens
  that may come next, as a list or an int64 tensor; #t for all.

  beams: the width of a beam search; length-penalty: the power of the length
  that its scores are divided by; early-stopping: #t ends it when there are as
  many finished texts as beams, 'never only when none can become better.

  draft: a smaller model with the same vocabulary, which proposes draft-tokens
  tokens at a time; the text is the same for greedy generation, and has the same
  distribution otherwise (Leviathan et al. 2023).  With the symbol ngrams,
  tokens are proposed that followed the last ones earlier in the text.

  cache: generation-cache of an earlier result; what the prompts begin with in
  common is not computed again.  keep-cache: #t for generation-cache of this
  result.  cache-bits: 8 or 4 to keep keys and values in int8 or int4, see
  kv-cache.  window: each token sees only that many, in memory for these; sinks:
  and that many of the first ones, so that prompts and texts may be longer than
  the model's context.  prefill: how many tokens of the prompt are computed at once.
  progress: #t to show how far the prompt is.  context: the longest context of a
  model that is not a language model, whose last tokens it then gets.  tools,
  template: see apply-chat-template, for chat-reply."
  (let ((who "generation-settings"))
    (%check-temperature who temperature)
    (%check-top-k who top-k)
    (for-each (lambda (name x) (%check-share who name x))
              '(":top-p" ":min-p" ":typical-p") (list top-p min-p typical-p))
    (%check-penalties who repetition-penalty frequency-penalty
                      presence-penalty)
    (%check-counts who (list (list "max-tokens" max-tokens 0)
                             (list "count" count 1) (list "prefill" prefill 1)
                             (list "draft-tokens" draft-tokens 1)))
    (%check-optional-counts who (list (list "beams" beams)
                                      (list "window" window)
                                      (list "context" context)))
    (when sinks
      (%check-counts who (list (list "sinks" sinks 0)))
      (unless window
        (%error-with-hint (string who ": :sinks are kept beside a :window, and "
                                  "there is none")
                          '() ":window says how many of the last tokens stay")))
    (%check-choices who stop-ids seed stream on-token on-prompt-token grammar
                    allow logit-processor
                    length-penalty early-stopping)
    (%check-cache-bits who cache-bits)
    (%check-combinations who beams draft grammar allow count
                         log-probabilities)
    (%make-settings max-tokens temperature top-k top-p min-p typical-p
                    (or greedy (= temperature 0))
                    repetition-penalty frequency-penalty presence-penalty
                    logit-bias (%stop-strings who stop) stop-ids ignore-eos
                    seed count stream on-token on-prompt-token
                    (%alternatives-wanted who log-probabilities)
                    grammar allow beams length-penalty early-stopping draft
                    draft-tokens cache keep-cache cache-bits window sinks
                    prefill progress context tools template logit-processor)))

(define (%settings-with-processor settings processor)
  "The settings with another processor of logits."
  (let ((copy (%record-copy settings <generation-settings> "generate")))
    (%set-settings-processor! copy processor)
    copy))

(define (%check-counts who rows)
  "Raise an error unless each row's second is an integer from its third."
  (for-each (lambda (row)
              (unless (%size? (cadr row) (caddr row))
                (wrong-type who
                            (string (if (= 0 (caddr row)) "a non-negative"
                                        "a positive")
                                    " integer for :" (car row))
                            (cadr row))))
            rows))

(define (%check-optional-counts who rows)
  "Raise an error unless each row's second is #f or a positive integer."
  (for-each (lambda (row)
              (when (cadr row)
                (%check-counts who (list (append row '(1))))))
            rows))

(define %seeds 1000000000000000000)   ; generators take 64 bits

(define (%check-choices who stop-ids seed stream on-token on-prompt-token
                        grammar allow logit-processor length-penalty
                        early-stopping)
  "Raise an error for values of the wrong type."
  (unless (and (list? stop-ids) (every exact-integer? stop-ids))
    (wrong-type who "a list of integers for :stop-ids" stop-ids))
  (unless (or (not seed)
              (and (exact-integer? seed) (< (- %seeds) seed %seeds)))
    (wrong-type who "an integer of at most 18 digits for :seed" seed))
  (for-each (lambda (name f)
              (unless (or (not f) (procedure? f))
                (wrong-type who (string "a procedure for :" name) f)))
            '("stream" "on-token" "on-prompt-token" "allow" "logit-processor")
            (list stream on-token on-prompt-token allow logit-processor))
  (unless (or (not grammar) (grammar? grammar) (procedure? grammar))
    (wrong-type who "a grammar, or a procedure of a text, for :grammar"
                grammar))
  (unless (real? length-penalty)
    (wrong-type who "a number for :length-penalty" length-penalty))
  (unless (memv early-stopping '(#t #f never))
    (wrong-type who "#t, #f or never for :early-stopping" early-stopping)))

(define (%check-combinations who beams draft grammar allow count
                             log-probabilities)
  "Raise an error for keywords that exclude each other."
  (when (and beams draft)
    (error (string who ": :beams and :draft exclude each other")))
  (when (and beams (or grammar allow log-probabilities))
    (error (string who ": a beam search does not take :grammar, :allow or "
                   ":log-probabilities")))
  (when (and beams (> count beams))
    (error (string who ": :beams " beams " finds no more than " beams
                   " texts, and :count is " count))))

(define (%alternatives-wanted who x)
  "How many likeliest tokens are kept beside each token; #f for nothing."
  (cond ((or (not x) (%size? x 0)) x)
        ((eq? x #t) 0)
        (else (wrong-type who
                          (string "a boolean or a non-negative integer for "
                                  ":log-probabilities")
                          x))))

(define (%settings-of options)
  "The settings of a list of keywords and values."
  (if (and (pair? options) (null? (cdr options))
           (generation-settings? (car options)))
      (car options)
      (begin
        (%check-keyword-list options)
        (apply generation-settings options))))

(define (%check-keyword-list options)
  "Raise an error unless keywords and values alternate."
  (when (pair? options)
    (unless (keyword? (car options))
      (wrong-type "generation-settings" "a keyword, such as :max-tokens"
                  (car options)))
    (when (pair? (cdr options)) (%check-keyword-list (cddr options)))))

(define (%settings-of-alist options)
  "The settings of an alist of the keywords' names, as symbols."
  (unless (and (list? options)
               (every (lambda (entry) (and (pair? entry) (symbol? (car entry))))
                      options))
    (wrong-type "engine-submit!" "an alist of the names of options" options))
  (apply generation-settings
         (append-map (lambda (entry)
                       (list (symbol->keyword (car entry)) (cdr entry)))
                     options)))

(define (%filters-any? settings)
  "Whether logits are changed before a token is chosen from them."
  (or (%settings-repetition settings) (%settings-frequency settings)
      (%settings-presence settings) (pair? (%settings-bias settings))
      (%settings-grammar settings) (%settings-allow settings)
      (%settings-processor settings)))
