;; drafts.lisp - speculative decoding: a small model drafts tokens, and the
;; model judges all of them in one call.
;;
;; A call for several tokens costs little more than one for a single token.  So
;; each round feeds the model the drafted tokens:
;;
;;     draft   a b c d         model after each:  a b x ...  =>  a b x
;;
;; A greedy text takes the model's own tokens as long as they agree, and the
;; first that does not.  A sampled text accepts a token with the probability
;; p / q of the two models, and otherwise draws from what p exceeds q by; so its
;; tokens are distributed as the model's (Leviathan et al. 2023).
;;
;; Drafts also come without a model, from the text itself (repeated-tokens.lisp).
;; Then a sampled text draws its own token each time: it is the text that it
;; would be without drafts.

(define (%drafted-texts model tokenizer prompts settings)
  "The generations of prompts, one after the other."
  (let ((count (%settings-count settings)))
    (%check-draft model settings)
    (append-map
     (lambda (prompt k)
       (map (lambda (j)
              (%drafted-text model tokenizer prompt settings (+ (* k count) j)
                          (> (* count (length prompts)) 1)))
            (iota count)))
     prompts (iota (length prompts)))))

(define (%check-draft model settings)
  "Raise an error for a draft that cannot be used."
  (let ((draft (%settings-draft settings))
        (grammar (%settings-grammar settings)))
    (%check-drafter "generate" model draft)
    (when (and grammar (not (grammar? grammar)) (not (eq? draft 'ngrams))
               (not (%settings-greedy settings)))
      (error (string "generate: :draft does not go with a procedure as "
                     ":grammar, unless :greedy is #t")))))

(define (%check-drafter who model draft)
  "Raise an error for a model that cannot draft for another."
  (unless (or (procedure? draft) (eq? draft 'ngrams))
    (wrong-type who "a model, or ngrams, for :draft" draft))
  (when (or (%has-states? model) (%has-states? draft))
    (%error-with-hint
     (string who ": a model whose layers have states cannot be drafted for, or "
             "draft")
     '()
     "its cache cannot forget drafted tokens; leave :draft out"))
  (when (and (language-model? model) (language-model? draft))
    (%check-same-vocabulary (config-ref draft "vocab_size")
                            (config-ref model "vocab_size"))))

(define (%check-same-vocabulary drafted v)
  "Raise an error unless the draft has as many tokens as the model."
  (unless (= drafted v)
    (error (string "generate: the vocabulary of :draft has " drafted
                   " tokens, the model's has " v))))

(define (%drafted-text model tokenizer prompt settings index several)
  "The generation of one prompt."
  (let* ((start (%now))
         (limit (%token-limit model prompt settings))
         (room (%longest-text (list prompt) (list limit) settings))
         (target (%new-model-run model 1 room settings))
         (draft (%new-drafter (%settings-draft settings) prompt room settings))
         (logits (%prefill! target (list prompt) settings))   ; [1, v]
         (run (%new-text-run settings index tokenizer prompt
                             (tensor-size logits -1) (tensor-device logits)
                             limit (%shower settings index several))))
    (unless (%text-run-reason run)
      (%choose-and-accept! run (tensor-select logits 0 0)))
    (let* ((first (%now))
           (counts (%draft-rounds! run target draft
                                        (tensor-size logits -1))))
      (%with-statistics
       (%text-run-result run)
       (and (%settings-keep-cache settings) (%kept-after target run))
       (cons (cons 'accepted (if (= (car counts) 0)
                                 0.0
                                 (/ (cdr counts) (inexact (car counts)))))
             (%statistics start first (%now) (%text-run-count run) 1
                          (length prompt)
                          (+ (%model-run-bytes target)
                             (if (%model-run? draft)
                                 (%model-run-bytes draft)
                                 0))))))))

(define (%new-drafter draft prompt room settings :streaming #f)
  "What drafts for a text that follows a prompt: a model-run, or the repeated
  tokens of the text.  room: how many tokens it may have, or #f.  streaming: the
  sinks and the window of a language model that drafts, if they are not those of
  the settings."
  (if (eq? draft 'ngrams)
      (%new-repeated-tokens prompt)
      (%new-model-run draft 1 room settings
                      :streaming (and (language-model? draft) streaming))))

(define (%check-streaming-drafter who draft streaming)
  "Raise an error unless a model can draft for texts without an end."
  (let ((obstacle (and (language-model? draft)
                       (%sinks-obstacle draft (+ (car streaming)
                                                 (cdr streaming))))))
    (when obstacle
      (%error-with-hint
       (string who ": the model of :draft cannot have a cache with :sinks or "
               ":window: " obstacle)
       '() "draft by ngrams, or leave :draft out"))))

(define (%choose-and-accept! run logits)
  "Choose the next token from the model's logits [v], and accept it."
  (let ((id (%choose-token run logits)))
    (%accept-token! run id logits)
    id))

(define (%draft-rounds! run target draft v)
  "Rounds until the text ends: the pair of the tokens that were drafted and of
  those that were accepted.  v: the vocabulary."
  (let loop ((drafted 0) (accepted 0))
    (if (%text-run-reason run)
        (cons drafted accepted)
        (let* ((proposals
                (%draft-tokens! run draft
                                (%draft-count run draft
                                              (%settings-draft-tokens
                                               (%text-run-settings run)))
                                v))
               (before (%model-run-length target))
               (ids (append (%unfed-tokens run target) (map car proposals)))
               (rows (%feed-all! target (%row-of-ids ids run target)))
               (n (length proposals))
               (taken (%judge! run proposals
                               (tensor-select
                                (tensor-narrow rows 1 (- (length ids) n 1)
                                               (+ n 1))
                                0 0))))                      ; [n + 1, v]
          (%model-run-truncate! target (+ before (- (length ids) n) taken))
          (%forget-drafts! draft (%model-run-length target))
          (loop (+ drafted n) (+ accepted taken))))))

(define (%forget-drafts! draft n)
  "Truncate the draft's texts to what the model has."
  (when (and (%model-run? draft) (> (%model-run-length draft) n))
    (%model-run-truncate! draft n)))

(define (%text-length run)
  "The tokens of the prompt and the text."
  (+ (length (%text-run-prompt run)) (%text-run-count run)))

(define (%unfed-tokens run model-run)
  "The tokens of the text that a model has not seen."
  (let ((missing (- (%text-length run) (%model-run-length model-run))))
    (if (<= missing (%text-run-count run))
        (reverse (take (%text-run-ids run) missing))
        (drop (append (%text-run-prompt run) (reverse (%text-run-ids run)))
              (%model-run-length model-run)))))

(define (%row-of-ids ids run model-run)
  "Tokens as ids [1, t] on the model's device."
  (tensor (list ids) :dtype 'int64
          :device (%model-device (%model-run-model model-run))))

;; Drafting.

(define (%draft-count run draft most)
  "How many tokens may be drafted now, of most."
  (let ((n (min most (- (%text-run-remaining run) 1)))
        (context (and (%model-run? draft)
                      (not (%endless-run? draft))
                      (%context-of (%model-run-model draft)
                                   (%text-run-settings run)))))
    (if (and context (>= (+ (%text-length run) n) context)) 0 n)))

(define (%endless-run? model-run)
  "Whether its cache has sinks, so that its texts may have any length."
  (let ((cache (%model-run-cache model-run)))
    (and cache (%cache-sinks cache) #t)))

(define (%draft-tokens! run draft count v)
  "Tokens that are proposed: pairs of a token and its probabilities [v], #f for a
  token that was not drawn."
  (cond ((<= count 0) '())
        ((%model-run? draft) (%modelled-tokens! run draft count v))
        (else
         (map (lambda (id) (cons id #f))
              (%repeated-tokens! draft run count)))))

(define (%modelled-tokens! run draft count v)
  "Tokens that the draft model proposes."
  (let loop ((k 1) (ids (%unfed-tokens run draft)) (done '()))
    (let* ((logits (%feed! draft (%row-of-ids ids run draft) #f))
           (proposal (%proposal run (%same-vocabulary logits v)))
           (done (cons proposal done)))
      (if (= k count)
          (reverse done)
          (loop (+ k 1) (list (car proposal)) done)))))

(define (%same-vocabulary logits v)
  "The row of the draft's logits [1, v]."
  (%check-same-vocabulary (tensor-size logits 1) v)
  (tensor-select logits 0 0))

(define (%proposal run logits)
  "A token of the draft model, and the probabilities that it was drawn with."
  (if (%settings-greedy (%text-run-settings run))
      (cons (tensor-item (%likeliest-tokens logits)) #f)
      (let ((shares (%run-shares run logits)))
        (cons (%drawn shares run) shares))))

(define (%run-shares run logits)
  "The probabilities that the settings make of logits [v]."
  (let ((settings (%text-run-settings run)))
    (token-probabilities (%checked-choice logits)
                         :temperature (%settings-temperature settings)
                         :top-k (%settings-top-k settings)
                         :top-p (%settings-top-p settings)
                         :min-p (%settings-min-p settings)
                         :typical-p (%settings-typical-p settings))))

(define (%drawn shares run)
  "A token drawn with probabilities, which need not add up to 1: on the CPU,
  where the text's generator is."
  (tensor-item (tensor-multinomial (tensor-to shares "cpu") 1
                                   :generator (%text-run-generator run))))

;; Judging.

(define (%judge! run proposals rows)
  "Accept proposals as far as the model agrees, and one token of its own: how
  many were taken.  rows [n + 1, v]: the model's logits before each proposal
  and after the last."
  (let loop ((left proposals) (k 0))
    (let ((logits (tensor-select rows 0 k)))
      (cond ((%text-run-reason run) k)
            ((null? left) (%choose-and-accept! run logits) k)
            ((%judge-one! run (car left) logits) (loop (cdr left) (+ k 1)))
            (else k)))))

(define (%judge-one! run proposal logits)
  "Accept a proposal, or a token of the model in its place; whether it was the
  proposal."
  (if (not (cdr proposal))
      (= (car proposal) (%choose-and-accept! run logits))
      (let* ((changed (if (%filters-any? (%text-run-settings run))
                          (%text-run-logits run logits)
                          logits))
             (p (%run-shares run changed))
             (taken (%accepts-proposal? run proposal p)))
        (%accept-token! run
                        (if taken
                            (car proposal)
                            (%drawn (%excess p (cdr proposal)) run))
                        logits)
        taken)))

(define (%excess p q)
  "What p exceeds q by; p itself if rounding leaves nothing."
  (let ((rest (tensor-relu (- p q))))
    (if (> (tensor-item (tensor-sum rest)) 0) rest p)))

(define (%accepts-proposal? run proposal p)
  "Whether a number below 1 is below p / q."
  (let ((q (cdr proposal)) (id (car proposal)))
    (< (* (tensor-item (tensor-rand '(1) :device "cpu"
                                    :generator (%text-run-generator run)))
          (tensor-item (tensor-select q 0 id)))
       (tensor-item (tensor-select p 0 id)))))
