;; seq2seq.lisp - models with an encoder and a decoder: what the encoder makes of
;; a source, a text or sound, is what the decoder reads while it writes.
;;
;;     source [n, s]  =>  encoder  =>  a memory  =>  decoder, token by token
;;
;; The decoder is one of language models (decoder.lisp) whose layers attend to
;; the memory, too; so caches and generation are theirs.

(define-module (seq2seq config :encoder #f :decoder #f :logits-bias #f
                        :settings (make-hash-table) :rules '()
                        :starts-with-last #f)
  "A model with an encoder and a decoder.  A source and ids int64 [n, t], what
  the decoder has written, -> logits [n, t, vocabulary] of what comes next.

  The source is int64 [n, s], the tokens of a text; for models that hear,
  features [n, mel, frames]; or a memory of read-source.  encoder and decoder are
  modules, config and settings the tables of config.json and of
  generation_config.json; logits-bias [1, vocabulary] is added to logits.  rules
  say how names in files differ.  starts-with-last: whether the decoder starts
  each text with its last token, as in mBART, where it names the language.

  A call may have :mask, bool [n, s], #f at padding of the source; :cache, of
  kv-cache for seq2seq-decoder of the model; :last #t for logits of the last
  position only."
  ((config config)
   (settings settings)
   (encoder encoder)
   (decoder decoder)
   (logits-bias logits-bias :buffer)
   (rules rules)
   (starts-with-last starts-with-last))
  (forward (source ids :mask #f :cache #f :last #f)
    (let ((memory (%memory-of self source mask)))
      (if cache
          (inference-mode (%written-logits self memory ids cache last))
          (%written-logits self memory ids #f last)))))

(define (%check-seq2seq who x)
  (unless (seq2seq? x)
    (wrong-type who "a model with an encoder and a decoder, as load-seq2seq \
returns" x)))

(define (%memory-of model source mask)
  "The memory of a source, which may be one already."
  (cond ((source-memory? source)
         (when (tensor? mask)
           (error "seq2seq: the mask belongs to the call that makes the memory"))
         source)
        (else (read-source model source :mask mask))))

(define (%written-logits model memory ids cache last)
  "The logits of what the decoder writes."
  (let* ((decoder (seq2seq-decoder model))
         (ids (%placed-ids decoder ids))
         (step (begin
                 (%check-source-rows memory ids)
                 (%new-step decoder ids cache #f))))
    (%set-step-memory! step memory)
    (let ((logits (%step-logits decoder ids step last))
          (bias (seq2seq-logits-bias model)))
      (if (tensor? bias) (+ logits bias) logits))))

(define (%check-source-rows memory ids)
  "Raise an error unless a memory has a source for each row of ids, or one for
  all."
  (let ((sources (tensor-size (source-memory-states memory) 0)))
    (unless (memv sources (list 1 (tensor-size ids 0)))
      (error (format "seq2seq: ~a sources do not fit ~a rows of tokens" sources
                     (tensor-size ids 0))))))

;; Memories.

(define-record-type <source-memory>
  (%make-memory states mask keys bias)
  source-memory?
  (states source-memory-states %set-memory-states!)   ; [n, s, width]
  (mask %memory-mask %set-memory-mask!)          ; bool [n, 1, 1, s], or #f
  (keys %memory-keys)                            ; vector: pairs of a layer, or #f
  (bias %memory-bias %set-memory-bias!))         ; of scores, (step . tensor)

(define (read-source model source :mask #f)
  "What the encoder of a model makes of a source: a memory, whose states [n, s,
  width] source-memory-states returns.

  source: int64 [n, s], or features [n, mel, frames] for models that hear; mask:
  bool [n, s], #f at padding.  A model takes a memory in place of the source, so
  that it is computed once.  With one row, it serves any number of rows."
  (%check-seq2seq "read-source" model)
  (unless (tensor? source) (wrong-type "read-source" "a tensor" source))
  (let* ((encoder (seq2seq-encoder model))
         (device (%model-device model))
         (memory (%make-memory
                  #f (%source-mask source mask device)
                  (make-vector (%layer-count (seq2seq-decoder model)) #f) #f)))
    (%set-memory-states! memory (encoder (tensor-to source device) memory))
    memory))

(define (%source-mask source mask device)
  "A mask [n, s] as attention takes it, [n, 1, 1, s], or #f."
  (unless (eq? mask #f)
    (unless (and (tensor? mask) (= (tensor-rank source) 2)
                 (equal? (tensor-shape mask) (tensor-shape source)))
      (wrong-type "read-source" (format "a mask ~a" (tensor-shape source))
                  mask)))
  (and (tensor? mask)
       (tensor-unsqueeze
        (tensor-unsqueeze (tensor-to (tensor-to mask 'bool) device) 1) 1)))

(define (%memory-select! memory rows)
  "Keep the sources of those rows, in that order; one for all stays."
  (unless (= 1 (tensor-size (source-memory-states memory) 0))
    (let ((index (tensor rows :dtype 'int64)))
      (define (select x) (and (tensor? x) (%selected-rows x index)))
      (%set-memory-states! memory (select (source-memory-states memory)))
      (%set-memory-mask! memory (select (%memory-mask memory)))
      (let ((keys (%memory-keys memory)))
        (for-each (lambda (k)
                    (let ((pair (vector-ref keys k)))
                      (when pair
                        (vector-set! keys k (cons (select (car pair))
                                                  (select (cdr pair)))))))
                  (range (vector-length keys)))))))

;; Training.

(define (seq2seq-loss model source labels :mask #f)
  "The mean cross-entropy of labels int64 [n, t], what the decoder is to write
  for sources; -100 does not count.  mask: see read-source.  The decoder gets the
  labels one place later, after its first token."
  (%check-seq2seq "seq2seq-loss" model)
  (cross-entropy (tensor-flatten (model source (shifted-labels model labels)
                                        :mask mask)
                                 0 1)
                 (tensor-flatten labels)))

(define (shifted-labels model labels)
  "What the decoder has written before each of the labels int64 [n, t]: they
  are one place later, after the token that it starts with; -100 becomes
  padding."
  (%check-seq2seq "shifted-labels" model)
  (unless (and (tensor? labels) (= (tensor-rank labels) 2)
               (eq? (tensor-dtype labels) 'int64))
    (wrong-type "shifted-labels" "labels int64 [n, t]" labels))
  (let* ((pad (%config-count (seq2seq-config model) "pad_token_id" 0))
         (labels (tensor-masked-fill labels (tensor-eq labels -100) pad)))
    (tensor-cat
     (list (if (seq2seq-starts-with-last model)
               (%last-labels labels pad)
               (tensor-full (list (tensor-size labels 0) 1)
                            (%first-token model)
                            :dtype 'int64 :device (tensor-device labels)))
           (tensor-narrow labels 1 0 (- (tensor-size labels 1) 1)))
     1)))

(define (%last-labels labels pad)
  "The last of the labels [n, t] of each row that is not padding: [n, 1]."
  (let ((counts (tensor-sum (tensor-to (tensor-ne labels pad) 'int64) 1 #t)))
    (tensor-gather labels 1 (tensor-clamp-min (- counts 1) 0))))

(define (%first-token model)
  "The token with which the decoder starts."
  (let ((found (find exact-integer?
                     (map (lambda (key) (%usual model key #f))
                          '("decoder_start_token_id" "bos_token_id"
                            "pad_token_id")))))
    (or found
        (error "generate: the settings of the model have no \
decoder_start_token_id"))))
