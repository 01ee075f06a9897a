;; generation-rules.lisp - which tokens a model's own settings force or forbid:
;; forced_bos_token_id and its relatives in generation_config.json.
;;
;; A rule is a procedure of logits [vocabulary] and the tokens written so far;
;; it returns the logits to choose from.

(define (%with-rules reader first settings)
  "The settings with the rules of a reader's model before their own processor.
  first: the tokens that the decoder starts with."
  (let* ((model (%reader-model reader))
         (rules (append (%token-rules model)
                        (%length-rules model settings
                                       (%token-limit reader first settings)
                                       (length first))
                        (%repeat-rules model first)
                        (list (%settings-processor settings))))
         (rules (filter (lambda (rule) rule) rules)))
    (if (null? rules)
        settings
        (%settings-with-processor settings
          (lambda (logits ids)
            (fold (lambda (rule logits) (rule logits ids)) logits rules))))))

(define (%forbid logits ids)
  "The logits with -inf for those tokens."
  (let ((known (filter (lambda (id) (< -1 id (tensor-size logits 0))) ids)))
    (if (null? known)
        logits
        (tensor-index-fill logits 0
                           (tensor known :dtype 'int64
                                   :device (tensor-device logits))
                           -inf.0))))

(define (%force logits id)
  "The logits with -inf for all tokens but one, which is certain."
  (let ((forced (tensor-full-like logits -inf.0)))
    (tensor-fill! (tensor-select forced 0 id) 0.0)
    forced))

(define (%rule-ids model key)
  "The tokens of a setting, which may be one token, a list, or absent."
  (let ((found (%usual model key '())))
    (cond ((exact-integer? found) (list found))
          ((and (list? found) (every exact-integer? found)) found)
          (else
           (error (format "generate: expected tokens for the setting ~s, got ~a"
                          key (%shown-setting found)))))))

(define (%token-rules model)
  "The rules of tokens that never come, or not as the first one."
  (let ((never (%rule-ids model "suppress_tokens"))
        (not-first (%rule-ids model "begin_suppress_tokens"))
        (sequences (%bad-words model)))
    (list (and (pair? never) (lambda (logits ids) (%forbid logits never)))
          (and (pair? not-first)
               (lambda (logits ids)
                 (if (null? ids) (%forbid logits not-first) logits)))
          (and (pair? sequences)
               (lambda (logits ids)
                 (%forbid logits
                          (filter-map (lambda (word) (%completing word ids))
                                      sequences)))))))

(define (%bad-words model)
  "The sequences of tokens that never come."
  (let ((found (%usual model "bad_words_ids" '())))
    (unless (and (list? found)
                 (every (lambda (word)
                          (and (pair? word) (every exact-integer? word)))
                        found))
      (error (format "generate: expected lists of tokens for the setting \
\"bad_words_ids\", got ~a" (%shown-setting found))))
    found))

(define (%completing word ids)
  "The last token of a sequence, if ids end with the others; else #f."
  (let* ((before (drop-right word 1)) (n (length before)))
    (and (<= n (length ids))
         (equal? before (take-right ids n))
         (last word))))

(define (%length-rules model settings limit started)
  "The rules of forced first and last tokens, and of the least length."
  (let ((first (%rule-ids model "forced_bos_token_id"))
        (end (%rule-ids model "forced_eos_token_id"))
        (ends (%rule-ids model "eos_token_id"))
        (least (max (- (%usual model "min_length" 0) started)
                    (%usual model "min_new_tokens" 0))))
    (list (and (pair? first)
               (lambda (logits ids)
                 (if (null? ids) (%force logits (car first)) logits)))
          (and (> least 0) (not (%settings-ignore-eos settings))
               (lambda (logits ids)
                 (if (< (length ids) least) (%forbid logits ends) logits)))
          (and (pair? end) (not (%settings-ignore-eos settings))
               (lambda (logits ids)
                 (if (= (length ids) (- limit 1))
                     (%force logits (car end))
                     logits))))))

(define (%repeat-rules model first)
  "The rule that no sequence of so many tokens comes twice."
  (let ((n (%usual model "no_repeat_ngram_size" 0)))
    (list (and (exact-integer? n) (> n 0)
               (lambda (logits ids)
                 (%forbid logits (%repeating (append first ids) n)))))))

(define (%repeating ids n)
  "The tokens after which the last n have occurred before."
  (if (< (length ids) n)
      '()
      (let ((end (take-right ids (- n 1))))
        (let loop ((left ids) (found '()))
          (if (< (length left) n)
              found
              (loop (cdr left)
                    (if (equal? (take left (- n 1)) end)
                        (cons (list-ref left (- n 1)) found)
                        found)))))))
