;; generate.lisp - texts from a model: the calls that users make, and the loop
;; behind them.
;;
;; All texts of a call are rows of one batch.  In each step every row gets its
;; next token from its logits; rows that have ended leave the batch.
;;
;;     prompts [n]  =>  prefill  =>  logits [n, v]  =>  tokens  =>  logits ...

(define (generate model tokenizer prompt . options)
  "The text that a model writes after a prompt.

  prompt: a string, or a list of tokens.  For a list of prompts, or with :count,
  the result is a list of texts.  options: the keywords of generation-settings,
  such as :max-tokens 50 :temperature 0.8 :stop \"\\n\" :stream display.  model:
  of load-llm, or any module from tokens [n, t] to logits [n, t, vocabulary].  A
  model of load-seq2seq writes from a prompt rather than after it, which may also
  be a memory of read-source, and its own generation_config.json says what options
  leave open.
  tokenizer: of load-tokenizer; with #f, prompts and results are lists of
  tokens.

  (generate model tokenizer \"Once upon a time\" :greedy #t)"
  (let* ((result (%generate model tokenizer prompt
                            (%settings-of (%usual-options model options))))
         (content (if tokenizer generation-text generation-ids)))
    (if (list? result) (map content result) (content result))))

(define (generate-result model tokenizer prompt . options)
  "The same as generate, as a generation, or a list of them: see
  generation-text, generation-ids, generation-reason, generation-statistics,
  generation-log-probabilities, generation-score and generation-cache."
  (%generate model tokenizer prompt
             (%settings-of (%usual-options model options))))

;; Prompts.

(define (%generate model tokenizer prompt settings)
  "The generation of a prompt, or the list of those of several."
  (%check-generator model tokenizer settings)
  (if (source-memory? prompt)
      (%generate-memory model tokenizer prompt settings)
      (%generate-prompts model tokenizer prompt settings)))

(define (%generate-prompts model tokenizer prompt settings)
  "The generation of a prompt that is not a memory, or the list of several."
  (let* ((several (%several-prompts? prompt))
         (prompts (map (lambda (one)
                         (%prompt-ids "generate" model tokenizer one))
                       (if several (%prompt-list prompt) (list prompt))))
         (results (if (null? prompts)
                      '()
                      (%evaluating model
                        (lambda ()
                          ((if (seq2seq? model) %generate-from %generate-all)
                           model tokenizer prompts settings))))))
    (if (or several (> (%settings-count settings) 1)) results (car results))))

(define (%check-generator model tokenizer settings)
  "Raise an error unless text can come from these."
  (unless (procedure? model)
    (wrong-type "generate" "a model, of load-llm for example" model))
  (unless (or (not tokenizer) (tokenizer? tokenizer))
    (wrong-type "generate" "a tokenizer, or #f" tokenizer))
  (when (and (not tokenizer)
             (or (pair? (%settings-stop settings))
                 (%settings-grammar settings)))
    (error "generate: :stop and :grammar need a tokenizer"))
  (when (%settings-on-prompt-token settings)
    (error (string "generate: :on-prompt-token is for the requests of a "
                   "batch-engine; token-log-probabilities scores a text"))))

(define (%several-prompts? prompt)
  "Whether it is a list or matrix of prompts, rather than one."
  (or (and (tensor? prompt) (= (tensor-rank prompt) 2))
      (and (list? prompt)
           (or (null? prompt) (not (exact-integer? (car prompt)))))))

(define (%prompt-list prompt)
  "Several prompts as a list."
  (if (tensor? prompt) (tensor->list prompt) prompt))

(define (%prompt-ids who model tokenizer prompt)
  "The tokens of a prompt, all of the model, as a list that is not empty."
  (let ((ids (cond ((and (string? prompt) tokenizer) (encode tokenizer prompt))
                   ((string? prompt)
                    (error (string who ": a string as prompt needs a "
                                   "tokenizer")))
                   ((and (tensor? prompt) (= (tensor-rank prompt) 1))
                    (tensor->list prompt))
                   (else prompt))))
    (unless (and (list? ids) (every exact-integer? ids))
      (wrong-type who "a string or a list of tokens as the prompt" prompt))
    (when (null? ids)
      (%error-with-hint (string who ": the prompt has no tokens") '()
                        (string "the tokenizer adds none at the beginning: "
                                "give its first token, as a list")))
    (%check-tokens who model ids)
    ids))

(define (%check-tokens who model ids)
  "Raise an error for a token that the table of a language model lacks."
  (let ((v (%source-vocabulary model)))
    (when v
      (for-each (lambda (id)
                  (unless (< -1 id v)
                    (error (string who ": token " id " of the prompt is out "
                                   "of range for a vocabulary of " v))))
                ids))))

(define (%source-vocabulary model)
  "How many tokens a prompt may consist of; #f if that is unknown."
  (cond ((language-model? model) (config-ref model "vocab_size" #f))
        ((seq2seq? model) (config-ref (seq2seq-config model) "vocab_size" #f))
        (else #f)))

(define (%evaluating model thunk)
  "The thunk's value, computed without gradients, and as in evaluation."
  (inference-mode
    (if (and (module? model) (training? model))
        (dynamic-wind (lambda () (eval-mode! model))
                      thunk
                      (lambda () (train-mode! model)))
        (thunk))))

;; Kinds of generation.

(define (%generate-all model tokenizer prompts settings)
  "The generations of prompts, lists of tokens."
  (cond ((%settings-beams settings)
         (append-map (lambda (prompt)
                       (%beam-search model tokenizer prompt settings))
                     prompts))
        ((%settings-draft settings)
         (%drafted-texts model tokenizer prompts settings))
        ((or (and (language-model? model) (not (%settings-sinks settings)))
             (%equal-lengths? prompts))
         (%generate-rows model tokenizer prompts settings 0))
        (else
         (append-map (lambda (prompt k)
                       (%generate-rows model tokenizer (list prompt) settings
                                       (* k (%settings-count settings))))
                     prompts (iota (length prompts))))))

(define (%equal-lengths? lists)
  (let ((n (length (car lists))))
    (every (lambda (other) (= n (length other))) lists)))

(define (%context-of model settings)
  "The most tokens that a text may have; #f for any number."
  (let ((decoder (%cached-decoder model)))
    (and decoder
         (not (%settings-sinks settings))
         (model-context decoder))))

(define (%token-limit model prompt settings)
  "How many tokens may follow a prompt."
  (let ((context (%context-of model settings)) (n (length prompt)))
    (when (and context (>= n context))
      (%error-with-hint
       (string "generate: the prompt has " n " tokens, and the model's context "
               "is " context)
       '()
       (string "shorten the prompt, keep its end: (take-right ids n), or let the "
               "cache forget: :window n :sinks 4")))
    (if context
        (min (%settings-max-tokens settings) (- context n))
        (%settings-max-tokens settings))))

(define (%generate-rows model tokenizer prompts settings first-index)
  "The generations of prompts as rows of one batch."
  (let* ((start (%now))
         (count (%settings-count settings))
         (limits (map (lambda (prompt) (%token-limit model prompt settings))
                      prompts))
         (kept (%usable-cache model prompts settings))
         (model-run (if kept
                      (%kept-run kept)
                      (%new-model-run model (length prompts)
                                    (%longest-text prompts limits settings)
                                    settings)))
         (logits (%prefill! model-run
                            (if kept
                                (list (%new-tokens! kept (car prompts)))
                                prompts)
                            settings))                     ; [n, v]
         (rows (append-map (lambda (k) (make-list count k))
                           (iota (length prompts))))
         (logits (if (= count 1) logits (%repeat-rows! model-run logits rows)))
         (runs (map (lambda (row k)
                      (%new-text-run settings (+ first-index k) tokenizer
                                     (list-ref prompts row)
                                     (tensor-size logits -1)
                                     (tensor-device logits)
                                     (list-ref limits row)
                                     (%shower settings
                                              (+ first-index k)
                                              (> (length rows) 1))))
                    rows (iota (length rows))))
         (first (%run-rows! model-run runs logits)))
    (%finished-results model-run runs prompts settings start (or first (%now))
                       kept)))

(define (%longest-text prompts limits settings)
  "The tokens of the longest text, if a cache of that size may be reserved."
  (let ((new (apply max limits)))
    (and (<= new %most-reserved)
         (not (%settings-keep-cache settings))
         (not (%settings-window settings))
         (+ (apply max (map length prompts)) new))))

(define %most-reserved 4096)   ; new tokens; for more a cache grows with the text

(define (%repeat-rows! model-run logits rows)
  "The logits of those rows; the model's texts are repeated, too."
  (%model-run-select! model-run rows)
  (%selected-rows logits (tensor rows :dtype 'int64)))

(define (%shower settings index several)
  "The procedure that is called with new text, or #f."
  (let ((stream (%settings-stream settings)))
    (cond ((not stream) #f)
          (several (lambda (text) (stream text index)))
          (else stream))))

;; The loop.

(define (%run-rows! model-run runs logits)
  "Generate until all texts have ended; the time after the first tokens."
  (let loop ((runs runs) (logits logits) (first #f))
    (let ((runs (filter (lambda (run) (not (%text-run-reason run))) runs)))
      (if (null? runs)
          first
          (let* ((tokens (%step-rows! runs logits))
                 (first (or first (%now)))
                 (left (%unfinished-rows runs)))
            (if (null? left)
                first
                (begin
                  (when (< (length left) (length runs))
                    (%model-run-select! model-run left))
                  (loop runs (%feed! model-run
                                     (%column tokens left logits) #f)
                        first))))))))

(define (%step-rows! runs logits)
  "Choose and accept the next token of each text: the list of them."
  (let* ((tokens (%choose-tokens runs logits)))
    (for-each (lambda (run id k)
                (%accept-token! run id (tensor-select logits 0 k)))
              runs tokens (iota (length runs)))
    tokens))

(define (%choose-tokens runs logits)
  "The next tokens, from logits [n, v]."
  (let ((settings (%text-run-settings (car runs))))
    (if (and (%settings-greedy settings) (not (%filters-any? settings)))
        (tensor->list (%likeliest-tokens logits))
        (map (lambda (run k) (%choose-token run (tensor-select logits 0 k)))
             runs (iota (length runs))))))

(define (%unfinished-rows runs)
  "The indices of the texts that have not ended."
  (filter (lambda (k) k)
          (map (lambda (run k) (and (not (%text-run-reason run)) k))
               runs (iota (length runs)))))

(define (%column tokens rows logits)
  "The tokens of those rows as ids [n, 1], on the device of the logits."
  (let ((tokens (if (= (length rows) (length tokens))
                    tokens
                    (map (lambda (k) (list-ref tokens k)) rows))))
    (tensor-unsqueeze (tensor tokens :dtype 'int64
                              :device (tensor-device logits))
                      1)))

(define (%finished-results model-run runs prompts settings start first kept)
  "The results of all texts, with the measurements of the call."
  (let* ((tokens (fold (lambda (run sum) (+ sum (%text-run-count run))) 0 runs))
         (cache (and (%settings-keep-cache settings) (= 1 (length runs))
                     (%kept-after model-run (car runs))))
         (statistics (%statistics start first (%now) tokens (length runs)
                                  (fold (lambda (p sum) (+ sum (length p))) 0
                                        prompts)
                                  (%model-run-bytes model-run))))
    (map (lambda (run)
           (%with-statistics (%text-run-result run) cache statistics))
         runs)))
