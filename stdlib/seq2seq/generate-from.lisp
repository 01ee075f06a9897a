;; generate-from.lisp - generation with models that have an encoder and a
;; decoder: prompts are sources, and the decoder starts with its first tokens.
;;
;; The texts of a call are rows of a batch as those of language models are
;; (generate.lisp); what stands for the model there is a reader, which has the
;; memory of the sources.  generation_config.json says what options leave open.

(define-record-type %reader
  (%make-reader model memory)
  %reader?
  (model %reader-model)
  (memory %reader-memory))

(define (%generate-from model tokenizer sources settings)
  "The generations from sources, lists of tokens."
  (%check-source-settings settings)
  (let ((starts (list (%first-token model))))
    (if (%settings-beams settings)
        (append-map (lambda (source)
                      (%generate-read model tokenizer
                                      (%read-sources model (list source))
                                      starts settings))
                    sources)
        (%generate-read model tokenizer (%read-sources model sources) starts
                        settings))))

(define (%generate-read model tokenizer memory starts settings)
  "The generations from a memory; in a beam search, it has one row.  starts: the
  tokens that the decoder has when it begins to write."
  (let* ((reader (%make-reader model memory))
         (settings (%with-rules reader starts settings)))
    (if (%settings-beams settings)
        (%beam-search reader tokenizer starts settings)
        (%generate-rows reader tokenizer
                        (make-list (tensor-size (source-memory-states memory) 0)
                                   starts)
                        settings 0))))

(define (%generate-memory model tokenizer memory settings)
  "The generation from a memory, or the list of those of several rows or texts."
  (unless (seq2seq? model)
    (wrong-type "generate" "a model of load-seq2seq, for a memory as the prompt"
                model))
  (%check-source-settings settings)
  (let ((rows (tensor-size (source-memory-states memory) 0)))
    (when (and (%settings-beams settings) (> rows 1))
      (error (format "generate: a beam search takes a memory of one source, \
got ~a" rows)))
    (let ((results (%evaluating model
                     (lambda ()
                       (%generate-read model tokenizer memory
                                       (%memory-starts model memory)
                                       settings)))))
      (if (> (* rows (%settings-count settings)) 1) results (car results)))))

(define (%memory-starts model memory)
  "The tokens that the decoder starts with."
  (if (sound-encoder? (seq2seq-encoder model))
      (%whisper-starts model memory #f "transcribe")
      (list (%first-token model))))

(define (%check-source-settings settings)
  "Raise an error for settings of language models alone."
  (when (or (%settings-draft settings) (%settings-cache settings)
            (%settings-keep-cache settings))
    (error "generate: a model with an encoder and a decoder takes no :draft, \
:cache or :keep-cache")))

(define (%read-sources model sources)
  "The memory of sources, lists of tokens; shorter ones are padded at the right."
  (let* ((longest (apply max (map length sources)))
         (pad (%config-count (seq2seq-config model) "pad_token_id" 0))
         (filled (map (lambda (ids)
                        (append ids (make-list (- longest (length ids)) pad)))
                      sources))
         (mask (map (lambda (ids)
                      (append (make-list (length ids) 1)
                              (make-list (- longest (length ids)) 0)))
                    sources)))
    (read-source model (tensor filled :dtype 'int64)
                 :mask (and (not (%equal-lengths? sources)) (tensor mask)))))

;; Usual options.

(define %choosing-keywords
  '(:temperature :top-k :top-p :min-p :typical-p :greedy :beams :seed))

(define (%usual-options model options)
  "The options of a call, after those that a model's own settings add."
  (if (and (seq2seq? model) (not (%settings-alone? options)))
      (begin
        (%check-keyword-list options)
        (append (if (any (lambda (key) (memq key %choosing-keywords)) options)
                    '()
                    (%usual-choice model))
                (%usual-numbers model options)
                options))
      options))

(define (%settings-alone? options)
  (and (pair? options) (null? (cdr options))))

(define (%usual-choice model)
  "The options by which the model's settings choose tokens."
  (let ((beams (%usual model "num_beams" 1)))
    (cond ((and (exact-integer? beams) (> beams 1))
           (list :beams beams
                 :early-stopping
                 (let ((early (%usual model "early_stopping" #f)))
                   (if (equal? early "never") 'never early))))
          ((eq? #t (%usual model "do_sample" #f))
           (list :temperature (%usual model "temperature" 1.0)
                 :top-k (let ((k (%usual model "top_k" 50)))
                          (and (exact-integer? k) (> k 0) k))
                 :top-p (%usual model "top_p" 1.0)))
          (else (list :greedy #t)))))

(define (%usual-numbers model options)
  "The options that limit and weigh texts, where the call has none."
  (define (option key value)
    (if (or (not value) (memq key options)) '() (list key value)))
  (let ((new (%usual model "max_new_tokens" #f))
        (whole (%usual model "max_length" #f))
        (repetition (%usual model "repetition_penalty" #f)))
    (append (option :max-tokens
                    (cond ((exact-integer? new) new)
                          ((and (exact-integer? whole) (> whole 20))
                           (- whole 1))
                          (else #f)))
            (option :length-penalty (%usual model "length_penalty" #f))
            (option :repetition-penalty
                    (and (real? repetition) (> repetition 0)
                         (not (= repetition 1))
                         repetition)))))

(define (%usual model key default)
  "A setting of generation_config.json, or of older files' config.json."
  (config-ref (seq2seq-settings model) key
              (config-ref (seq2seq-config model) key default)))
