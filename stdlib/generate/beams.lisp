;; beams.lisp - beam search: the continuations with the largest sum of
;; log-probabilities.
;;
;; In each step the best continuations of all beams are ranked.  Those that end
;; become finished texts, if they are among the first ones; the best others are
;; the next beams.  It ranks, finishes and stops as the transformers package
;; does, so that results are the same:
;;
;; - a score is the sum by length^penalty;
;; - as many candidates are ranked as always leave enough that do not end;
;; - it ends when no beam can beat the worst finished text, judged by the best
;;   beam at its present length.

(define-record-type %beam
  (%make-beam score ids finished)
  %beam?
  (score %beam-score)         ; the sum; of a finished text, by its length
  (ids %beam-ids)             ; the tokens generated, the latest first
  (finished %beam-finished))

(define %no-score -1e9)       ; of a place without a text

(define (%beam-search model tokenizer prompt settings)
  "The generations of a prompt, a list of tokens, the best first."
  (let* ((start (%now))
         (width (%settings-beams settings))
         (limit (%token-limit model prompt settings))
         (model-run (%new-model-run model 1
                                    (%longest-text (list prompt) (list limit)
                                                   settings)
                                    settings))
         (logits (%prefill! model-run (list prompt) settings))
         (logits (%repeat-rows! model-run logits (make-list width 0)))
         (first (%now))
         (finished (if (= limit 0)
                       (list (%make-beam 0.0 '() #t))
                       (%search-beams model-run tokenizer prompt settings limit
                                      logits)))
         (kept (take finished (%settings-count settings)))
         (results (map (lambda (beam)
                         (%beam-result beam tokenizer prompt settings limit))
                       kept))
         (tokens (fold (lambda (beam n) (max n (length (%beam-ids beam))))
                       0 kept))
         (statistics (%statistics start first (%now) tokens 1 (length prompt)
                                  (%model-run-bytes model-run))))
    (map (lambda (result) (%with-statistics result #f statistics)) results)))

(define (%search-beams model-run tokenizer prompt settings limit logits)
  "The finished texts, as many as beams, the best first.  logits [beams, v]."
  (let* ((width (%settings-beams settings))
         (ends (%beam-ends tokenizer settings))
         (candidates (* width (max 2 (+ 1 (length ends)))))
         (none (make-list width (%make-beam %no-score '() #f))))
    (let loop ((beams (cons (%make-beam 0.0 '() #f) (cdr none)))
               (finished none) (size 0) (logits logits))
      (let* ((ranked (%ranked-beams beams logits prompt settings candidates))
             (ended (map (lambda (candidate)
                           (%ends-beam? (cdr candidate) tokenizer settings ends
                                        (+ size 1) limit))
                         ranked))
             (finished (%with-finished finished ranked ended width
                                       (+ size 1) settings))
             (going (take (%unended ranked ended) width))
             (beams (map cdr going)))
        (if (or (every (lambda (end) end) ended)
                (%beams-done? finished beams (+ size 1) limit settings))
            finished
            (loop beams finished (+ size 1)
                  (begin
                    (%model-run-select! model-run (map car going))
                    (%feed! model-run
                            (%column (map (lambda (beam)
                                            (car (%beam-ids beam)))
                                          beams)
                                     (iota width) logits)
                            #f))))))))

(define (%beam-ends tokenizer settings)
  "The tokens that end a text."
  (append (if (and tokenizer (not (%settings-ignore-eos settings)))
              (eos-ids tokenizer)
              '())
          (%settings-stop-ids settings)))

(define (%ranked-beams beams logits prompt settings count)
  "The best continuations, the best first: pairs of a beam's index and the new
  beam."
  (let* ((logs (%beam-logs beams (tensor-log-softmax
                                  (tensor-to (%checked-choice logits)
                                             'float32)
                                  -1)
                           prompt settings))               ; [beams, v]
         (v (tensor-size logs 1))
         (sums (+ logs (tensor-unsqueeze
                        (tensor (map %beam-score beams) :dtype 'float32
                                :device (tensor-device logs))
                        1)))
         (beams (list->vector beams)))
    (let-list (((scores places) (tensor-topk (tensor-flatten sums)
                                             (min count (* v (vector-length
                                                              beams))))))
      (map (lambda (score place)
             (let ((k (quotient place v)))
               (cons k (%make-beam score
                                   (cons (remainder place v)
                                         (%beam-ids (vector-ref beams k)))
                                   #f))))
           (tensor->list scores) (tensor->list places)))))

(define (%beam-logs beams logs prompt settings)
  "The log-probabilities [beams, v] after bias and penalties."
  (if (%filters-any? settings)
      (tensor-stack
       (map (lambda (beam k)
              (%processed-logs
               (penalize-logits (tensor-select logs 0 k) (%beam-ids beam)
                                :prompt prompt
                                :repetition (%settings-repetition settings)
                                :frequency (%settings-frequency settings)
                                :presence (%settings-presence settings)
                                :bias (%settings-bias settings))
               beam settings))
            beams (iota (length beams))))
      logs))

(define (%processed-logs logs beam settings)
  "The log-probabilities [v] after the settings' processor."
  (let ((processor (%settings-processor settings)))
    (if processor (processor logs (reverse (%beam-ids beam))) logs)))

(define (%ends-beam? beam tokenizer settings ends size limit)
  "Whether a text of that size ends with its last token."
  (or (= size limit)
      (and (memv (car (%beam-ids beam)) ends) #t)
      (and (pair? (%settings-stop settings))
           (%first-stop (%settings-stop settings)
                        (decode tokenizer (reverse (%beam-ids beam))))
           #t)))

(define (%unended ranked ended)
  "The candidates that do not end, and then those that do."
  (let ((marked (map cons ended ranked)))
    (map cdr (append (remove car marked) (filter car marked)))))

(define (%with-finished finished ranked ended width size settings)
  "The best of the finished texts and of those of the first candidates that
  have ended."
  (if (and (eq? #t (%settings-early-stopping settings))
           (every %beam-finished finished))
      finished
      (let ((new (filter-map
                  (lambda (candidate end place)
                    (and end (< place width)
                         (%make-beam (%length-score (%beam-score
                                                     (cdr candidate))
                                                    size settings)
                                     (%beam-ids (cdr candidate)) #t)))
                  ranked ended (iota (length ranked)))))
        (take (sort (append finished new)
                    (lambda (a b) (> (%beam-score a) (%beam-score b))))
              width))))

(define (%length-score score size settings)
  "The score of a text of that size."
  (/ score (expt (inexact size) (%settings-length-penalty settings))))

(define (%beams-done? finished beams size limit settings)
  "Whether no beam is expected to beat the finished texts."
  (let ((early (%settings-early-stopping settings)))
    (and (every %beam-finished finished)
         (or (eq? early #t)
             (<= (%length-score (%beam-score (car beams))
                                (if (and (eq? early 'never)
                                         (> (%settings-length-penalty settings)
                                            0))
                                    limit
                                    size)
                                settings)
                 (apply min (map %beam-score finished)))))))

(define (%beam-result beam tokenizer prompt settings limit)
  "The generation of a finished text."
  (let* ((ids (reverse (%beam-ids beam)))
         (run (%new-text-run (%plain-settings settings) 0 tokenizer prompt 0
                             "cpu" (+ 1 (length ids))
                             (%settings-stream settings))))
    (for-each (lambda (id)
                (unless (%text-run-reason run) (%accept-token! run id #f)))
              ids)
    (unless (%text-run-reason run) (%end-run! run 'length))
    (let ((result (%text-run-result run)))
      (%make-generation (generation-text result) ids (generation-reason result)
                        #f (length prompt) (%beam-score beam) #f '()))))

(define (%plain-settings settings)
  "Settings that only say how a text ends."
  (generation-settings :stop (%settings-stop settings)
                       :stop-ids (%settings-stop-ids settings)
                       :ignore-eos (%settings-ignore-eos settings)))
