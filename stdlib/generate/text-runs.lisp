;; text-runs.lisp - one text that is being generated: the choice of its next
;; token, and what follows from it.
;;
;; generate, the batch engine and speculative decoding differ in how they get
;; logits.  All of them choose tokens with %choose-token and hand them to
;; %accept-token!, which decodes, streams, and finds the end.

(define-record-type %text-run
  (%make-text-run settings index tokenizer prompt limit ids count reason
                  decoder matcher pieces scores generator history bias table
                  state show)
  %text-run?
  (settings %text-run-settings)
  (index %text-run-index)
  (tokenizer %text-run-tokenizer)        ; or #f
  (prompt %text-run-prompt)              ; the tokens of the prompt
  (limit %text-run-limit)                ; how many tokens may be generated
  (ids %text-run-ids %set-text-run-ids!)    ; those generated, latest first
  (count %text-run-count %set-text-run-count!)
  (reason %text-run-reason %set-text-run-reason!)     ; #f until the end
  (decoder %text-run-decoder)            ; a decoding stream, or #f
  (matcher %text-run-matcher)            ; of stop strings
  (pieces %text-run-pieces %set-text-run-pieces!)   ; of the text, likewise
  (scores %text-run-scores %set-text-run-scores!)   ; log-probabilities
  (generator %text-run-generator)        ; or #f
  (history %text-run-history)            ; a token history, or #f
  (bias %text-run-bias)                  ; a tensor, or #f
  (table %text-run-table)                ; a token table, with a grammar
  (state %text-run-state %set-text-run-state!)        ; of the grammar
  (show %text-run-show))                 ; a procedure of new text, or #f

(define (%new-text-run settings index tokenizer prompt vocabulary device
                       limit show)
  "A text that begins after a prompt, a list of tokens.  vocabulary: of the
  model's logits."
  (let ((grammar (%settings-grammar settings)))
    (%make-text-run
     settings index tokenizer prompt limit '() 0 (and (= limit 0) 'length)
     (and tokenizer (%primed-decoder tokenizer prompt))
     (%new-stop-matcher (%settings-stop settings))
     '() '()
     (%generator-for settings index)
     (and (or (%settings-repetition settings) (%settings-frequency settings)
              (%settings-presence settings))
          (%new-token-history vocabulary prompt device))
     (%bias-tensor "generate" (%settings-bias settings) vocabulary device)
     (and (grammar? grammar) (%token-table tokenizer))
     %first-state show)))

(define %decoded-before 4)   ; tokens; what follows may depend on them

(define (%primed-decoder tokenizer prompt)
  "A decoding stream that continues the prompt."
  (let ((decoder (decoding-stream tokenizer)))
    (for-each (lambda (id) (stream-token! decoder id))
              (take-right prompt (min %decoded-before (length prompt))))
    decoder))

(define (%generator-for settings index)
  "The generator of the text with that index; #f for the default one."
  (let ((seed (%settings-seed settings)))
    (and seed (%make-cpu-generator (+ seed index)))))

(define (%text-run-remaining run)
  "How many tokens may still come."
  (- (%text-run-limit run) (%text-run-count run)))

;; The choice.  logits [vocabulary].

(define (%choose-token run logits)
  "The next token."
  (let* ((settings (%text-run-settings run))
         (x (if (%filters-any? settings) (%text-run-logits run logits) logits))
         (grammar (%settings-grammar settings)))
    (if (and grammar (not (grammar? grammar)))
        (%choose-accepted run x grammar)
        (%choose-among run x))))

(define (%choose-among run x)
  "A token, from logits that are changed already."
  (let ((settings (%text-run-settings run)))
    (tensor-item
     (if (%settings-greedy settings)
         (%likeliest-tokens x)
         (%draw x (%settings-temperature settings) (%settings-top-k settings)
                (%settings-top-p settings) (%settings-min-p settings)
                (%settings-typical-p settings) (%text-run-generator run))))))

(define (%text-run-logits run logits)
  "The logits after bias, penalties and restrictions."
  (let* ((settings (%text-run-settings run))
         (x (%biased (tensor-to logits 'float32) (%text-run-bias run)))
         (x (if (%text-run-history run)
                (%penalized x (%text-run-history run)
                            (%settings-repetition settings)
                            (%settings-frequency settings)
                            (%settings-presence settings))
                x))
         (x (if (%settings-processor settings)
                ((%settings-processor settings) x
                                                (reverse (%text-run-ids run)))
                x))
         (x (if (%settings-allow settings)
                (%only-allowed x ((%settings-allow settings)
                                  (reverse (%text-run-ids run))))
                x)))
    (if (%text-run-table run) (%only-grammatical run x) x)))

(define (%only-allowed x ids)
  "The logits with -inf for all tokens but those; #t for all."
  (if (eq? ids #t)
      x
      (let ((kept (tensor-to (if (tensor? ids) ids (tensor ids :dtype 'int64))
                             (tensor-device x))))
        (%check-allowed kept (tensor-size x 0))
        (tensor-index-copy! (tensor-full-like x -inf.0) 0 kept
                            (tensor-index-select x 0 kept)))))

(define (%check-allowed kept v)
  "Raise an error unless they are tokens of a vocabulary of v, at least one."
  (when (= 0 (tensor-numel kept))
    (error "generate: :allow returned no tokens; #t allows all"))
  (let-list (((least most) (tensor-aminmax kept)))
    (unless (<= 0 (tensor-item least) (tensor-item most) (- v 1))
      (error (string "generate: :allow returned tokens from "
                     (tensor-item least) " to " (tensor-item most)
                     ", and the vocabulary has " v)))))

(define (%only-grammatical run x)
  "The logits with -inf for the tokens that the grammar does not allow, or
  whose text could not be completed in time."
  (%grammatical-logits (%settings-grammar (%text-run-settings run))
                       (%text-run-table run) (%text-run-state run)
                       (- (%text-run-remaining run) 1) x))

(define (%choose-accepted run x accepts?)
  "A token after which the procedure accepts the text.  Drawing again without
  the refused ones leaves the others their relative probabilities."
  (let* ((tokenizer (%text-run-tokenizer run))
         (before (%all-text run))
         (ends (eos-ids tokenizer)))
    (let loop ((x x))
      (unless (tensor-item (tensor-any (tensor-ne x -inf.0)))
        (error "generate: the procedure of :grammar accepts no token after"
               before))
      (let ((id (%choose-among run x)))
        (if (or (memv id ends)
                (accepts? (string-append before (decode tokenizer (list id)))))
            id
            (loop (tensor-index-fill x 0
                                     (tensor (list id)
                                             :device (tensor-device x))
                                     -inf.0)))))))

;; What follows from a token.

(define (%accept-token! run id logits)
  "Add a token, which was chosen from the model's logits [vocabulary], or #f if
  nobody wants their probabilities."
  (let ((settings (%text-run-settings run)))
    (%set-text-run-ids! run (cons id (%text-run-ids run)))
    (%set-text-run-count! run (+ 1 (%text-run-count run)))
    (when (%text-run-history run) (%note-token! (%text-run-history run) id))
    (when (%settings-log-probabilities settings)
      (%note-score! run id logits))
    (cond ((and (not (%settings-ignore-eos settings)) (%text-run-tokenizer run)
                (memv id (eos-ids (%text-run-tokenizer run))))
           (%end-run! run 'eos))
          ((memv id (%settings-stop-ids settings)) (%end-run! run 'stop))
          (else (%continue-text! run id)))))

(define (%continue-text! run id)
  "Add a token's text, and see whether that ends it."
  (let* ((grammar (%settings-grammar (%text-run-settings run)))
         (table (%text-run-table run)))
    (when (%text-run-decoder run)
      (%add-text! run (stream-token! (%text-run-decoder run) id)))
    (unless (%text-run-reason run)
      (let ((after (if table
                       (%state-after-token grammar table (%text-run-state run)
                                           id)
                       '(#f #f))))
        (%set-text-run-state! run (car after))
        (cond ((cadr after) (%end-run! run 'grammar))
              ((<= (%text-run-remaining run) 0) (%end-run! run 'length)))))))

(define (%add-text! run text)
  "Add new text as far as no stop string may begin in it."
  (unless (string-null? text)
    (receive (certain stopped) (%stop-text! (%text-run-matcher run) text)
      (%show-text! run certain)
      (when (and stopped (not (%text-run-reason run)))
        (%set-text-run-reason! run 'stop)))))

(define (%show-text! run text)
  "Note text that is certain, and stream it."
  (unless (string-null? text)
    (%set-text-run-pieces! run (cons text (%text-run-pieces run)))
    (when (and (%text-run-show run)
               (%calls-until-stopped (%text-run-show run) text)
               (not (%text-run-reason run)))
      (%set-text-run-reason! run 'stopped))))

(define (%end-run! run reason)
  "End a text for a reason, with what was held back."
  (unless (%text-run-reason run)
    (%set-text-run-reason! run reason)
    (when (%text-run-decoder run)
      (receive (certain stopped)
          (%stop-text! (%text-run-matcher run)
                       (stream-rest! (%text-run-decoder run)))
        (%show-text! run certain)
        (if stopped
            (%set-text-run-reason! run 'stop)
            (%show-text! run (%stop-rest! (%text-run-matcher run))))))))

(define (%text-so-far run)
  "The text so far."
  (string-join (reverse (%text-run-pieces run)) ""))

(define (%all-text run)
  "The text so far, with what is held back."
  (string-append (%text-so-far run)
                 (%stop-matcher-held (%text-run-matcher run))))

(define (%text-run-result run)
  "The result of a text that has ended."
  (%make-generation (and (%text-run-tokenizer run) (%text-so-far run))
                    (reverse (%text-run-ids run))
                    (%text-run-reason run)
                    (and (%settings-log-probabilities (%text-run-settings run))
                         (reverse (%text-run-scores run)))
                    (length (%text-run-prompt run))
                    #f #f '()))

;; Log-probabilities.

(define (%note-score! run id logits)
  "Keep the log-probability of a token, and those of the likeliest."
  (let* ((settings (%text-run-settings run))
         (logs (tensor-log-softmax (tensor-to logits 'float32) -1))
         (score (tensor-item (tensor-select logs 0 id)))
         (others (%likeliest logs (%settings-log-probabilities settings))))
    (%set-text-run-scores! run
                           (cons (cons score others) (%text-run-scores run)))
    (when (%settings-on-token settings)
      ((%settings-on-token settings) id score others))))

(define (%likeliest logs k)
  "The k likeliest tokens and their log-probabilities, logs [vocabulary]."
  (if (= k 0)
      '()
      (let-list (((values ids) (tensor-topk logs (min k (tensor-size logs 0)))))
        (map cons (tensor->list ids) (tensor->list values)))))

;; stop-generation: a flag of the innermost call of a stream procedure.

(define %streams '())   ; a list of one-element vectors, innermost first

(define (stop-generation)
  "End the text whose :stream procedure is running; its reason is stopped."
  (if (null? %streams)
      (error (string "stop-generation: no :stream procedure is running; it "
                     "ends the text that one is called for"))
      (vector-set! (car %streams) 0 #t)))

(define (%calls-until-stopped f text)
  "Call a stream procedure; whether it called stop-generation."
  (let ((flag (vector #f)) (outside %streams))
    (dynamic-wind
      (lambda () (set! %streams (cons flag outside)))
      (lambda () (f text))
      (lambda () (set! %streams outside)))
    (vector-ref flag 0)))
