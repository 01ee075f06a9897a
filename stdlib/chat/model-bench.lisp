;; model-bench.lisp - how fast a language model is here: the command bench.
;;
;;     load 0.12 s   first token 0.03 s   85.1 tokens/s (2 %)   peak 310 MB
;;
;; Each run prefills the same prompt and decodes greedily without an end token,
;; so that all runs do the same work.  One run that is not counted comes first.

(define (%run-bench plain found)
  "The command bench: print the figures, and write them as JSON if asked."
  (let* ((start (current-second))
         (opened (call-with-values (lambda () (%open-model (car plain) found))
                   cons))
         (load-seconds (- (current-second) start))
         (prompt (%bench-prompt (car opened)
                                (%option-ref found :prompt-tokens 64)))
         (first-run (%bench-run (car opened) (cdr opened) prompt found))
         (first-token-at (%first-token-time first-run))
         (runs (map (lambda (_)
                      (%bench-run (car opened) (cdr opened) prompt found))
                    (range (%option-ref found :repeats 5))))
         (figures (%bench-figures (car opened) prompt runs load-seconds
                                  first-token-at))
         (file (%option-ref found :json #f)))
    (%print-figures (car plain) figures)
    (when file
      (call-with-output-file file
        (lambda (port)
          (write-json figures :indent 2 port)
          (newline port))))))

(define (%bench-prompt model count)
  "The ids of the prompt, which all programs of a comparison use."
  (let ((size (config-ref model "vocab_size")))
    (map (lambda (i) (modulo (+ 13 (* 7919 i)) size)) (range count))))

;; A run: when it began, and the generation.

(define (%bench-run model tokenizer prompt found)
  "Generate greedily: the time of the start, and the result."
  (let ((start (current-second)))
    (cons start
          (generate-result model tokenizer prompt :greedy #t :ignore-eos #t
                           :max-tokens (%option-ref found :tokens 64)))))

(define (%run-statistic run name)
  (cdr (assq name (generation-statistics (cdr run)))))

(define (%first-token-time run)
  "When the first token of a run came, in seconds since 1970."
  (+ (car run) (%run-statistic run 'first-token-seconds)))

(define (%bench-figures model prompt runs load-seconds first-token-at)
  "The figures as a hash table."
  (let ((rates (map (lambda (run) (%run-statistic run 'tokens-per-second))
                    runs))
        (firsts (map (lambda (run) (%run-statistic run 'first-token-seconds))
                     runs)))
    (%figure-table
     "dtype" (string (model-dtype model))
     "parameters" (parameter-count model)
     "prompt_tokens" (length prompt)
     "new_tokens" (length (generation-ids (cdr (car runs))))
     "load_seconds" load-seconds
     "first_token_at" first-token-at
     "first_token_seconds" (%median firsts)
     "prefill_tokens_per_second" (/ (length prompt) (%median firsts))
     "tokens_per_second" (%median rates)
     "variation" (%variation rates)
     "peak_bytes" (or (%peak-process-bytes) 'null)
     "ids" (generation-ids (cdr (car runs)))
     "probe" (%logit-probe model prompt))))

(define (%figure-table . entries)
  "A hash table of keys and values in order."
  (let ((table (make-hash-table)))
    (let loop ((left entries))
      (unless (null? left)
        (hash-set! table (car left) (cadr left))
        (loop (cddr left))))
    table))

(define (%median numbers)
  "The middle one of the numbers in order; the mean of the middle two."
  (let* ((sorted (sort numbers <))
         (n (length sorted))
         (high (list-ref sorted (quotient n 2))))
    (if (odd? n)
        high
        (/ (+ high (list-ref sorted (- (quotient n 2) 1))) 2))))

(define (%variation numbers)
  "The coefficient of variation: standard deviation / mean; 0 for one number."
  (let* ((n (length numbers))
         (mean (/ (fold + 0.0 numbers) n)))
    (if (= n 1)
        0.0
        (/ (sqrt (/ (fold + 0.0 (map (lambda (x) (square (- x mean))) numbers))
                    (- n 1)))
           mean))))

(define %probes 64)   ; logits that a comparison looks at

(define (%logit-probe model prompt)
  "Logits after the prompt, at equal distances in the vocabulary: a list."
  (let* ((logits (inference-mode
                  (tensor-to (tensor-flatten
                              (model (tensor (list prompt)) :last #t))
                             'float32)))
         (size (tensor-size logits 0))
         (step (max 1 (quotient size %probes))))
    (tensor->list (tensor-ref logits (range 0 size step)))))

(define (%peak-process-bytes)
  "The most memory that the process has had; #f where the system does not say."
  (guard (e (#t #f))
    (call-with-input-file "/proc/self/status"
      (lambda (port)
        (let loop ()
          (let ((line (read-line port)))
            (cond ((eof-object? line) #f)
                  ((string-prefix? "VmHWM:" line) (%kilobytes line))
                  (else (loop)))))))))

(define (%kilobytes line)
  "The bytes of a line like VmHWM:  1234 kB."
  (let ((number (find string->number (string-split line))))
    (and number (* 1024 (string->number number)))))

(define (%print-figures name figures)
  "Print the figures as a table."
  (define (figure key) (hash-ref figures key))
  (define (row label . texts)
    (print (string (string-pad-right label 14) (apply string texts))))
  (row "model" name)
  (row "parameters" (%short-number (/ (figure "parameters") 1e6) 3)
       " million, " (figure "dtype"))
  (row "load" (%short-number (figure "load_seconds") 3) " s")
  (row "first token" (%short-number (figure "first_token_seconds") 3)
       " s after a prompt of " (figure "prompt_tokens") " tokens")
  (row "prefill" (%short-number (figure "prefill_tokens_per_second") 3)
       " tokens/s")
  (row "decode" (%short-number (figure "tokens_per_second") 3)
       " tokens/s, variation "
       (%short-number (* 100 (figure "variation")) 2) " %, "
       (figure "new_tokens") " tokens a run")
  (let ((peak (figure "peak_bytes")))
    (unless (eq? peak 'null)
      (row "peak memory" (%short-number (/ peak 1e6) 3) " MB"))))
