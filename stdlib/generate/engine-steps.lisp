;; engine-steps.lisp - one step of a batch engine: admit, prefill, decode.

(define (engine-step! engine)
  "Compute the next token of all requests that run, and a part of the prompt of
  one that begins.  #t while a request is left."
  (%check-engine "engine-step!" engine)
  (inference-mode
    (%admit-requests! engine)
    (%prefill-one! engine)
    (%decode-all! engine))
  (%set-engine-steps! engine (+ 1 (%engine-steps engine)))
  (pair? (append (%engine-running-requests engine)
                 (%engine-waiting-requests engine))))

;; Pages.

(define (%free-pages engine)
  "How many pages no request holds."
  (paged-free-pages (%engine-pool engine)))

(define (%more-pages engine request tokens)
  "How many more pages a request needs for so many more tokens."
  (%at-most-pages engine (%lacking-pages (%request-sequence request) tokens)))

(define (%at-most-pages engine count)
  "How many of so many pages a text needs at once."
  (let ((most (%most-pages (%engine-pool engine) (%engine-prefill engine))))
    (if most (min most count) count)))

;; Admission: the oldest first, while there is room for the whole prompt and a
;; token of each.

(define (%admit-requests! engine)
  "Let requests run while there is room."
  (let ((waiting (%engine-waiting-requests engine))
        (running (%engine-running-requests engine)))
    (when (and (pair? waiting)
               (< (length running) (%engine-max-batch engine))
               (%has-room? engine (car waiting)))
      (let ((request (car waiting)))
        (%set-request-sequence! request
                                (paged-sequence
                                 (%engine-pool engine)
                                 :tokens (length (%request-prompt request))))
        (%set-request-fed! request 0)
        (%set-engine-waiting! engine (cdr waiting))
        (%set-engine-running! engine (append running (list request)))
        (%admit-requests! engine)))))

(define (%has-room? engine request)
  "Whether the pages suffice for the request's tokens, and for those that the
  prompts of others still need."
  (<= (+ (- (%at-most-pages engine
                            (%page-count (+ 1 (length (%request-tokens
                                                       request)))
                                         (%engine-page-size engine)))
            (%pages-in-use engine request))
         (fold (lambda (other sum)
                 (+ sum (%more-pages engine other
                                     (+ 1 (length (%unfed-of other))))))
               0 (%engine-running-requests engine)))
      (%free-pages engine)))

(define (%pages-in-use engine request)
  "How many pages a request that waits would share with running ones."
  (if (%may-reuse? engine request)
      (count (lambda (node) (> (%kept-users node) 0))
             (%kept-path (%engine-pool engine)
                         (length (%request-prompt request))
                         (%request-tokens request)))
      0))

(define (%may-reuse? engine request)
  "Whether a request may have tokens that others left: not if all tokens of its
  prompt are scored."
  (and (%engine-shares? engine)
       (or (%request-run request)
           (not (%settings-on-prompt-token (%request-settings request))))))

(define (%request-tokens request)
  "The tokens of a request's prompt and text."
  (let ((run (%request-run request)))
    (if run
        (append (%request-prompt request) (reverse (%text-run-ids run)))
        (%request-prompt request))))

(define (%unfed-of request)
  "The tokens that are not in the pool."
  (let ((run (%request-run request)))
    (if (and run (= (%request-fed request) (- (%text-length run) 1)))
        (list (car (%text-run-ids run)))
        (drop (%request-tokens request) (%request-fed request)))))

(define (%decoding? request)
  "Whether only the latest token is not in the pool."
  (let ((run (%request-run request)))
    (and run (= (%request-fed request) (- (%text-length run) 1)))))

;; Prefilling: a part of the oldest prompt that is not complete.

(define (%prefill-one! engine)
  "Compute a part of one prompt; after its last part, choose a token."
  (let ((request (find (lambda (request) (not (%decoding? request)))
                       (%engine-running-requests engine))))
    (when request
      (%reuse-tokens! engine request)
      (if (%decoding? request)
          (%prefill-one! engine)
          (%prefill-part! engine request)))))

(define (%prefill-part! engine request)
  "Compute a part of the prompt of a request."
  (let* ((left (%unfed-of request))
         (part (take left (min (%prefill-for engine request)
                               (%shared-part engine request (length left))))))
    (if (> (%more-pages engine request (length part)) (%free-pages engine))
        (begin (%suspend-latest! engine)
               (%prefill-one! engine))
        (guard (e (#t (%end-request! engine request 'error e)))
          (let ((logits (%timed-prompt! engine request part)))   ; [v]
            (cond ((= (length part) (length left))
                   (%advance-request! engine request logits)
                   (%keep-tokens! engine request))
                  ((%ends-page? engine request)
                   (%keep-tokens! engine request))))))))

(define (%shared-part engine request left)
  "How many of the tokens left come in one call: all, but those of a model with
  states to the last end of a page first, since others can begin there."
  (let* ((size (%engine-page-size engine))
         (fed (%request-fed request))
         (border (* size (quotient (+ fed left -1) size))))
    (if (and (%has-states? (%engine-model engine))
             (%engine-shares? engine)
             (> border fed))
        (- border fed)
        left)))

(define (%ends-page? engine request)
  "Whether a model with states has fed a request to the last end of a page."
  (and (%has-states? (%engine-model engine))
       (zero? (remainder (%request-fed request) (%engine-page-size engine)))
       (<= (length (%unfed-of request)) (%engine-page-size engine))))

(define (%reuse-tokens! engine request)
  "Let a request that begins have the tokens that others left."
  (when (= 0 (%request-fed request))
    (let ((n (if (%may-reuse? engine request)
                 (sequence-reuse! (%request-sequence request)
                                  (%request-tokens request))
                 0)))
      (%set-request-fed! request n)
      (unless (%request-reused request) (%set-request-reused! request n)))))

(define (%keep-tokens! engine request)
  "Leave the tokens of a request for others."
  (when (and (%engine-shares? engine) (%request-sequence request))
    (sequence-keep! (%request-sequence request)
                    (take (%request-tokens request)
                          (%request-fed request)))))

(define %most-pause 0.25)     ; seconds that a prompt takes from other requests
(define %least-part 16)       ; tokens, of which a call costs little more than one

(define (%timed-prompt! engine request part)
  "Add a part of a prompt, and note how long a token takes: logits [v]."
  (let* ((start (%now))
         (logits (%fed-prompt! engine request part))
         (seconds (%seconds-between start (%now))))
    (when (> seconds 0)
      (%set-engine-pace! engine (/ (length part) seconds)))
    logits))

(define %scored-together 64)   ; tokens; each has logits of a whole vocabulary

(define (%prefill-for engine request)
  "How many tokens of the prompt are computed in one step."
  (let ((most (if (%settings-on-prompt-token (%request-settings request))
                  (min %scored-together (%engine-prefill engine))
                  (%engine-prefill engine)))
        (pace (%engine-pace engine)))
    (if (and pace (any %decoding? (%engine-running-requests engine)))
        (min most (max %least-part (exact (floor (* pace %most-pause)))))
        most)))

(define (%fed-prompt! engine request part)
  "Add a part of a prompt: logits [v] after it."
  (let ((settings (%request-settings request)))
    (if (and (%settings-on-prompt-token settings)
             (not (%request-run request)))
        (let ((logits (tensor-select (%engine-logits engine (list request)
                                                 (list part) #f)
                                     0 0)))                       ; [t, v]
          (%score-prompt! request logits (- (%request-fed request)
                                            (length part)))
          (tensor-select logits 0 -1))
        (tensor-select (%fed-requests! engine (list request) (list part))
                       0 0))))

(define (%score-prompt! request logits start)
  "Report the tokens of the prompt that were expected by logits [t, v], which
  stand after the tokens from start on.  A prompt that is computed again, because
  its pages were needed, is not reported again."
  (let* ((settings (%request-settings request))
         (report (%settings-on-prompt-token settings))
         (prompt (%request-prompt request)) (end (length prompt))
         (logs (tensor-log-softmax (tensor-to logits 'float32) -1))
         (others (%likeliest-rows logs
                                  (or (%settings-log-probabilities settings)
                                      0))))
    (when (= 0 (%request-scored request))
      (report (car prompt) #f '())
      (%set-request-scored! request 1))
    (let loop ((at (+ start 1)) (ids (drop prompt (min end (+ start 1))))
               (k 0) (others others))
      (when (and (pair? ids) (pair? others))
        (when (= at (%request-scored request))
          (report (car ids)
                  (tensor-item (tensor-select (tensor-select logs 0 k) 0
                                              (car ids)))
                  (car others))
          (%set-request-scored! request (+ at 1)))
        (loop (+ at 1) (cdr ids) (+ k 1) (cdr others))))))

(define (%likeliest-rows logs k)
  "For each row the k likeliest tokens and their log-probabilities, logs [t, v]."
  (if (= k 0)
      (make-list (tensor-size logs 0) '())
      (let-list (((values ids) (tensor-topk logs (min k (tensor-size logs 1)))))
        (map (lambda (ids values) (map cons ids values))
             (tensor->list ids) (tensor->list values)))))

(define (%fed-requests! engine requests rows)
  "Add tokens to requests, rows of one length: logits [n, v] after the last."
  (tensor-select (%engine-logits engine requests rows #t) 1 -1))

(define (%engine-logits engine requests rows last)
  "Add tokens to requests: logits [n, t, v] after each of them, or [n, 1, v]
  after the last ones."
  (let ((logits ((%engine-model engine)
                 (tensor rows :dtype 'int64
                         :device (%model-device (%engine-model engine)))
                 :cache (paged-batch (map %request-sequence requests))
                 :last last)))
    (for-each (lambda (request row)
                (%set-request-fed! request
                                   (+ (%request-fed request) (length row))))
              requests rows)
    logits))

;; Decoding.

(define (%decode-all! engine)
  "Compute the next token of all requests whose prompt is complete; of one that
  writes alone as many as a draft allows."
  (%ensure-pages! engine)
  (let ((requests (filter %decoding? (%engine-running-requests engine))))
    (unless (or (null? requests)
                (and (null? (cdr requests))
                     (%engine-draft engine)
                     (%drafted? engine (car requests))))
      (let ((logits (%fed-requests! engine requests
                                    (map %unfed-of requests)))) ; [n, v]
        (for-each (lambda (request k)
                    (%advance-request! engine request
                                       (tensor-select logits 0 k)))
                  requests (iota (length requests)))))))

(define (%ensure-pages! engine)
  "Let the latest requests wait until the others have a page for their next
  token."
  (let ((needed (fold (lambda (request sum)
                        (+ sum (if (%decoding? request)
                                   (%more-pages engine request 1)
                                   0)))
                      0 (%engine-running-requests engine))))
    (when (> needed (%free-pages engine))
      (%suspend-latest! engine)
      (%ensure-pages! engine))))

(define (%suspend-latest! engine)
  "Take the pages of the latest request, and let it wait as the first."
  (let ((request (last (%engine-running-requests engine))))
    (%keep-tokens! engine request)
    (%release-request! engine request)
    (%set-engine-waiting! engine
                          (cons request (%engine-waiting-requests engine)))))

(define (%release-request! engine request)
  "Take a request's pages, and remove it from those that run and wait."
  (define (others requests)
    (remove (lambda (other) (eq? other request)) requests))
  (when (%request-sequence request)
    (sequence-free! (%request-sequence request)))
  (%set-request-sequence! request #f)
  (%set-request-fed! request 0)
  (%set-engine-running! engine (others (%engine-running-requests engine)))
  (%set-engine-waiting! engine (others (%engine-waiting-requests engine))))

;; Drafts: see drafts.lisp.

(define (%drafted? engine request)
  "Whether tokens were proposed for a request, which then has those that the
  model accepts, or has failed."
  (guard (e (#t (%end-request! engine request 'error e)))
    (let ((proposals (%proposals-for engine request)))
      (and (pair? proposals)
           (%judge-drafts! engine request proposals)))))

(define (%proposals-for engine request)
  "The tokens that are proposed for a request; none without pages for them."
  (let ((run (%request-run request))
        (most (%engine-draft-tokens engine)))
    (unless (%request-drafter request)
      (%set-request-drafter! request
                             (%new-drafter (%engine-draft engine)
                                           (%request-prompt request) #f
                                           (%request-settings request)
                                           :streaming
                                           (%pool-streaming
                                            (%engine-pool engine)))))
    (if (> (%more-pages engine request (+ most 1)) (%free-pages engine))
        '()
        (let ((drafter (%request-drafter request)))
          (%draft-tokens! run drafter (%draft-count run drafter most)
                          (config-ref (%engine-model engine) "vocab_size"))))))

(define (%judge-drafts! engine request proposals)
  "Let the model judge the tokens that are proposed for a request, and keep what
  it accepts; #t.  A callback may cancel the request meanwhile."
  (let* ((run (%request-run request))
         (before (%request-fed request))
         (count (%text-run-count run))
         (logits (%engine-logits engine (list request)
                                 (list (append (%unfed-of request)
                                               (map car proposals)))
                                 #f)))
    (%set-request-fed! request before)   ; what is not judged is not kept
    (let* ((taken (%judge! run proposals (tensor-select logits 0 0)))
           (fed (+ before 1 taken)))
      (%set-engine-tokens! engine (+ (%engine-tokens engine)
                                     (- (%text-run-count run) count)))
      (when (%request-sequence request)
        (sequence-truncate! (%request-sequence request) fed)
        (%set-request-fed! request fed)
        (%forget-drafts! (%request-drafter request) fed)
        (%end-if-finished! engine request))
      #t)))

(define (%end-if-finished! engine request)
  "End a request whose text has ended, unless a callback has cancelled it."
  (let ((reason (%text-run-reason (%request-run request))))
    (when (and reason (%request-sequence request))
      (%end-request! engine request reason #f))))

;; What a request does with its logits.

(define (%advance-request! engine request logits)
  "Choose a request's next token, from logits [v]; end it if that ends it, or
  fails.  Nothing happens if a callback of another request has cancelled it."
  (when (%request-sequence request)
    (guard (e (#t (%end-request! engine request 'error e)))
      (unless (%request-run request)
        (%set-request-run! request (%run-of-request engine request logits)))
      (let ((run (%request-run request)))
        (unless (%text-run-reason run)
          (%choose-and-accept! run logits)
          (%set-engine-tokens! engine (+ 1 (%engine-tokens engine))))
        (unless (%request-first request) (%set-request-first! request (%now)))
        (%end-if-finished! engine request)))))

(define (%run-of-request engine request logits)
  "The text of a request, which begins."
  (let ((on-text (%request-on-text request))
        (stream (%settings-stream (%request-settings request))))
    (%new-text-run (%request-settings request) 0 (%engine-tokenizer engine)
                   (%request-prompt request) (tensor-size logits -1)
                   (tensor-device logits) (%request-limit request)
                   (and (or on-text stream)
                        (lambda (text)
                          (when on-text (on-text text #f))
                          (when stream (stream text)))))))

(define (%end-request! engine request reason problem)
  "Remove a request, and call its procedure with the result; #t.  problem: what
  was raised, or #f."
  (unless problem (%keep-tokens! engine request))
  (%release-request! engine request)
  (let ((on-text (%request-on-text request)))
    (when on-text
      (guard (e (#t #f))          ; nobody is left who could be told
        (on-text "" (%request-result request reason problem)))))
  #t)

(define (%request-result request reason problem)
  "The generation of a request that has ended."
  (let ((run (%request-run request)) (end (%now)))
    (%make-generation
     (if run (%text-so-far run) "")
     (if run (reverse (%text-run-ids run)) '())
     reason
     (and run (%settings-log-probabilities (%request-settings request))
          (reverse (%text-run-scores run)))
     (length (%request-prompt request)) #f #f
     (append
      (if problem (list (cons 'error (%problem-text problem))) '())
      (list (cons 'cached-tokens (or (%request-reused request) 0)))
      (%statistics (%request-start request) (or (%request-first request) end)
                   end (if run (%text-run-count run) 0) 1
                   (length (%request-prompt request)) 0)))))

(define (%problem-text problem)
  "What was raised, as a text."
  (if (error-object? problem)
      (string-join (cons (error-object-message problem)
                         (map (lambda (x) (format "~s" x))
                              (error-object-irritants problem)))
                   " ")
      (format "~s" problem)))
