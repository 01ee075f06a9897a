;; results.lisp - what a generation returns.

(define-record-type <generation>
  (%make-generation text ids reason log-probabilities prompt-tokens score cache
                    statistics)
  generation?
  (text %generation-text)
  (ids %generation-ids)
  (reason %generation-reason)
  (log-probabilities %generation-log-probabilities)
  (prompt-tokens %generation-prompt-tokens)
  (score %generation-score)
  (cache %generation-cache)
  (statistics %generation-statistics))

(define (%of-generation who x field)
  "A field of a generation."
  (if (generation? x)
      (field x)
      (wrong-type who "a generation" x)))

(define (generation-text result)
  "The text that was generated, without the prompt and without a stop string;
  #f if there was no tokenizer."
  (%of-generation "generation-text" result %generation-text))

(define (generation-ids result)
  "The tokens that were generated: a list, with the one that ended the text."
  (%of-generation "generation-ids" result %generation-ids))

(define (generation-reason result)
  "Why the text ended: eos, the tokenizer's end token; stop, a stop string or
  token; length, the most tokens or the model's context; grammar, nothing may
  follow; stopped, by stop-generation or engine-cancel!; error."
  (%of-generation "generation-reason" result %generation-reason))

(define (generation-log-probabilities result)
  "For each token a pair of its log-probability and an alist of the likeliest
  tokens and theirs; #f unless :log-probabilities was given.  They are the
  model's, before penalties and filters."
  (%of-generation "generation-log-probabilities" result
                  %generation-log-probabilities))

(define (generation-prompt-tokens result)
  "How many tokens the prompt had."
  (%of-generation "generation-prompt-tokens" result %generation-prompt-tokens))

(define (generation-score result)
  "The score of a beam search: the sum of the log-probabilities by the power of
  the length; #f otherwise."
  (%of-generation "generation-score" result %generation-score))

(define (generation-cache result)
  "What :cache of another generation takes; #f unless :keep-cache was #t."
  (%of-generation "generation-cache" result %generation-cache))

(define (generation-statistics result)
  "An alist of measurements of the call: prefill-seconds, first-token-seconds,
  decode-seconds, tokens-per-second (after the first token, of all texts
  together), tokens, prompt-tokens, cache-bytes, peak-bytes (of all tensors, so
  far or since a time-it around the call began); with a draft model accepted,
  the share of its tokens."
  (%of-generation "generation-statistics" result %generation-statistics))

(define (%with-statistics result cache statistics)
  "The result with what is known at the end."
  (%make-generation (%generation-text result) (%generation-ids result)
                    (%generation-reason result)
                    (%generation-log-probabilities result)
                    (%generation-prompt-tokens result)
                    (%generation-score result) cache statistics))

;; Measurements.

(define (%now) (current-jiffy))

(define (%seconds-between start end)
  "Nanoseconds as seconds."
  (/ (- end start) 1e9))

(define (%statistics start first end tokens texts prompt-tokens cache-bytes)
  "The alist of measurements: times of the start, of the first tokens and of the
  end; all tokens, of that many texts."
  (let ((decoding (%seconds-between first end))
        (decoded (- tokens texts)))
    (list (cons 'prefill-seconds (%seconds-between start first))
          (cons 'first-token-seconds (%seconds-between start first))
          (cons 'decode-seconds decoding)
          (cons 'tokens-per-second
                (if (and (> decoded 0) (> decoding 0))
                    (/ decoded decoding)
                    0.0))
          (cons 'tokens tokens)
          (cons 'prompt-tokens prompt-tokens)
          (cons 'cache-bytes cache-bytes)
          (cons 'peak-bytes (%peak-bytes)))))

(define (%peak-bytes)
  "The most bytes that tensors have had so far, or since the innermost time-it
  that runs began.  tensor-memory would collect garbage first: half a second in
  which a server answers nobody."
  (car (%tensor-window 0)))
