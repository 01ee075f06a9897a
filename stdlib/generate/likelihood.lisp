;; likelihood.lisp - how likely a model finds a text.

(define (token-log-probabilities model ids)
  "The log-probability of each token given those before it.  ids: a list or an
  int64 tensor [t] -> float32 [t - 1]; the first token has none."
  (%check-scored "token-log-probabilities" model)
  (let ((ids (if (tensor? ids) ids (tensor ids :dtype 'int64))))
    (unless (and (= (tensor-rank ids) 1) (> (tensor-size ids 0) 1))
      (wrong-type "token-log-probabilities" "at least two tokens [t]" ids))
    (%check-context-of "token-log-probabilities" model (tensor-size ids 0))
    (%evaluating model (lambda () (%token-logs model ids)))))

(define (perplexity-of model tokenizer text :window #f :stride #f)
  "The perplexity of a text: e to the mean of the negative log-probabilities of
  its tokens.  1 is a model that was sure of all of them.

  text: a string, or a list of tokens.  A text longer than window, by default
  the model's context, is scored in windows that begin stride tokens after each
  other, by default half a window; a token counts once, in the first window
  that has it."
  (%check-scored "perplexity-of" model)
  (let* ((ids (tensor (%prompt-ids "perplexity-of" model tokenizer text)
                      :dtype 'int64))
         (t (tensor-size ids 0))
         (window (or window (%window-for model t)))
         (stride (or stride (max 1 (quotient window 2)))))
    (unless (> t 1)
      (error "perplexity-of: expected a text of at least two tokens, got" text))
    (unless (and (exact-integer? window) (> window 1))
      (wrong-type "perplexity-of" "an integer above 1 for :window" window))
    (unless (and (exact-integer? stride) (< 0 stride window))
      (wrong-type "perplexity-of"
                  (string "an integer from 1 to " (- window 1) " for :stride")
                  stride))
    (%check-context-of "perplexity-of" model (min t window))
    (%evaluating model
      (lambda ()
        (exp (- (/ (%sum-of-windows model ids window stride) (- t 1))))))))

(define (%check-scored who model)
  (unless (procedure? model)
    (wrong-type who "a model, of load-llm for example" model)))

(define (%window-for model t)
  "The window that is used if none is given."
  (if (language-model? model) (min (max t 2) (model-context model)) (max t 2)))

(define (%check-context-of who model t)
  "Raise an error if so many tokens exceed the model's context."
  (when (and (language-model? model) (> t (model-context model)))
    (error (string who ": " t " tokens exceed the model's context of "
                   (model-context model)))))

(define (%token-logs model ids)
  "The log-probabilities [t - 1] of ids [t] after the first."
  (let* ((t (tensor-size ids 0))
         (row (tensor-to (tensor-unsqueeze ids 0) (%model-device model)))
         (logits (tensor-select (model row) 0 0))          ; [t, v]
         (logs (tensor-log-softmax (tensor-to (tensor-narrow logits 0 0 (- t 1))
                                              'float32)
                                   -1))
         (next (tensor-unsqueeze (tensor-narrow (tensor-select row 0 0) 0 1
                                                (- t 1))
                                 1)))
    (tensor-squeeze (tensor-gather logs 1 next) 1)))

(define (%sum-of-windows model ids window stride)
  "The sum of the log-probabilities of all tokens after the first."
  (let ((t (tensor-size ids 0)))
    (let loop ((start 0) (scored 1) (sum 0.0))
      (let* ((end (min t (+ start window)))
             (logs (%token-logs model (tensor-narrow ids 0 start
                                                     (- end start))))
             (new (- end scored))
             (sum (+ sum (tensor-item
                          (tensor-sum
                           (tensor-narrow logs 0
                                          (- (tensor-size logs 0) new)
                                          new))))))
        (if (= end t) sum (loop (+ start stride) end sum))))))
