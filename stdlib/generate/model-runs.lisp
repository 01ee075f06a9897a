;; model-runs.lisp - a model and what it remembers of the tokens before: logits
;; for the next ones.
;;
;; A language model has a cache of keys and values, so each token is computed
;; once.  Any other module or procedure from ids [n, t] to logits [n, t,
;; vocabulary] writes texts, too: it gets all tokens again at each step, or as
;; many of the last ones as its context takes.

(define-record-type %model-run
  (%make-model-run model cache ids context)
  %model-run?
  (model %model-run-model)
  (cache %model-run-cache)                       ; or #f
  (ids %model-run-ids %set-model-run-ids!)         ; [n, t] without a cache
  (context %model-run-context))                  ; or #f

(define (%new-model-run model batch length settings :streaming #f)
  "A model-run for batch texts of at most that many tokens, #f if unknown.
  streaming: the pair of sinks and a window, if not those of the settings."
  (let* ((decoder (%cached-decoder model))
         (streaming (or streaming
                        (cons (%settings-sinks settings)
                              (%settings-window settings))))
         (window (cdr streaming)))
    (when (and window (not (language-model? model)))
      (error "generate: :window is for language models, whose caches have one"))
    (%make-model-run model
                     (and decoder
                          (kv-cache decoder :batch batch :length length
                                    :window window
                                    :sinks (car streaming)
                                    :bits (%settings-cache-bits settings)))
                     #f (%settings-context settings))))

(define (%cached-decoder model)
  "The language model whose keys and values a cache holds, or #f."
  (cond ((%reader? model) (seq2seq-decoder (%reader-model model)))
        ((language-model? model) model)
        (else #f)))

(define (%feed! model-run ids padding)
  "Add tokens, int64 [n, t], to the texts: logits [n, vocabulary] of those that
  follow.  padding: int64 [n], or #f, at the first call."
  (tensor-select (%fed-logits! model-run ids padding #t) 1 -1))

(define (%feed-all! model-run ids)
  "Add tokens, int64 [n, t], to the texts: logits [n, t, vocabulary] after each
  of them."
  (let ((logits (%fed-logits! model-run ids #f #f)))
    (tensor-narrow logits 1 (- (tensor-size logits 1) (tensor-size ids 1))
                   (tensor-size ids 1))))

(define (%fed-logits! model-run ids padding last)
  "Logits of at least the tokens that are asked for; the last ones are last."
  (let ((model (%model-run-model model-run))
        (cache (%model-run-cache model-run)))
    (cond
      ((%reader? model)
       (%written-logits (%reader-model model) (%reader-memory model) ids cache
                        last))
      (cache (model ids :cache cache :padding padding :last last))
      (else
        (let* ((before (%model-run-ids model-run))
               (all (if before
                        (tensor-cat
                         (list before (tensor-to ids (tensor-device before)))
                         1)
                        ids)))
          (%set-model-run-ids! model-run all)
          (%checked-logits
           (model (%last-columns all (%model-run-context model-run)))
           ids))))))

(define (%last-columns ids most)
  "The last columns of ids [n, t], all if most is #f."
  (let ((t (tensor-size ids 1)))
    (if (and most (> t most)) (tensor-narrow ids 1 (- t most) most) ids)))

(define (%checked-logits logits ids)
  "The logits of a module that is not a language model."
  (unless (and (tensor? logits) (= (tensor-rank logits) 3)
               (= (tensor-size logits 0) (tensor-size ids 0)))
    (wrong-type "generate" "logits [n, t, vocabulary] as the model's result"
                logits))
  logits)

(define (%model-run-select! model-run rows)
  "Keep those rows of the texts, in that order; a row may come twice."
  (when (%reader? (%model-run-model model-run))
    (%memory-select! (%reader-memory (%model-run-model model-run)) rows))
  (if (%model-run-cache model-run)
      (cache-select! (%model-run-cache model-run) rows)
      (let ((ids (%model-run-ids model-run)))
        (%set-model-run-ids! model-run
                             (%selected-rows ids
                                             (tensor rows :dtype 'int64))))))

(define (%model-run-length model-run)
  "How many tokens the texts have."
  (cond ((%model-run-cache model-run)
         (cache-length (%model-run-cache model-run)))
        ((%model-run-ids model-run) (tensor-size (%model-run-ids model-run) 1))
        (else 0)))

(define (%model-run-truncate! model-run n)
  "Forget all tokens but the first n."
  (cond ((%model-run-cache model-run)
         (cache-truncate! (%model-run-cache model-run) n))
        ((= n 0) (%set-model-run-ids! model-run #f))
        (else (%set-model-run-ids! model-run
                                 (tensor-narrow (%model-run-ids model-run) 1 0
                                                n)))))

(define (%model-run-goes-back? model-run n)
  "Whether all tokens but the first n can be forgotten."
  (let ((cache (%model-run-cache model-run)))
    (or (not cache) (%cache-goes-back? cache n))))

(define (%model-run-bytes model-run)
  "The size of the cache."
  (if (%model-run-cache model-run)
      (cache-bytes (%model-run-cache model-run))
      0))

;; Prompts.

(define (%prefill! model-run prompts settings)
  "Add prompts, lists of tokens: the logits [n, vocabulary] that follow.  Those
  that are shorter are padded on the left."
  (let* ((width (apply max (map length prompts)))
         (padding (map (lambda (ids) (- width (length ids))) prompts))
         (ids (tensor (map (lambda (ids n) (append (make-list n 0) ids))
                           prompts padding)
                      :dtype 'int64
                      :device (%model-device (%model-run-model model-run)))))
    (if (every zero? padding)
        (%prefill-parts! model-run ids settings)
        (%feed! model-run ids (tensor padding :dtype 'int64
                                      :device (tensor-device ids))))))

(define (%prefill-parts! model-run ids settings)
  "Add ids [n, t] in parts, which bound the memory that they need, and between
  which Ctrl-C is noticed."
  (let ((t (tensor-size ids 1))
        (part (if (%model-run-cache model-run)
                  (%settings-prefill settings)
                  (tensor-size ids 1))))
    (let loop ((start 0))
      (let* ((size (min part (- t start)))
             (logits (%feed! model-run (tensor-narrow ids 1 start size) #f)))
        (when (%settings-progress settings)
          (progress (+ start size) t "prompt"))
        (if (= (+ start size) t) logits (loop (+ start size)))))))

(define (%model-device model)
  "The device of a model's first parameter or buffer; the default one if it has
  none, as a procedure."
  (let* ((model (if (%reader? model) (%reader-model model) model))
         (all (if (module? model) (parameters model) '()))
         (all (if (and (null? all) (module? model))
                  (map cdr (named-buffers model))
                  all)))
    (if (pair? all) (tensor-device (car all)) (default-device))))
