;; decoder.lisp - what all language models have in common: tokens become
;; vectors, layers change them, and a head turns them into logits.
;;
;; What depends on the call and not on the layer (positions, masks, the cache)
;; is a step (decoder-step.lisp), which each layer gets.  A layer is any module
;; of x [n, t, width] and the step; decoder-parts.lisp has what most consist of.

(define-module (decoder config :embed-tokens #f :layers '() :norm #f
                        :lm-head #f :positions #f :rotation #f :scale #f
                        :softcap #f :logit-scale #f :rules '()
                        :embed-layer #f :embed-norm #f :states #f)
  "A language model.  ids [n, t] int64 -> logits [n, t, vocabulary].

  config is the table of its settings, as in config.json.  embed-tokens and
  lm-head are modules, norm the one before the head.  layers: modules of
  (x step), such as decoder-layer.  positions: a module of learned positions,
  or #f.  rotation: of decoder-rotation, or #f.  scale multiplies what
  embed-tokens returns, logit-scale logits; softcap c makes logits x then c
  tanh(x / c).  embed-layer: a module of the vectors of tokens, or #f;
  embed-norm: a norm of what the layers get, or #f.  states: whether layers
  carry states from token to token (stdlib/recurrent).  rules say how names in
  files differ (load-state-dict!).

  A call may have a :cache, after whose tokens ids come; :padding [n] int64,
  how many tokens at the left of each row are padding; and :last #t for logits
  [n, 1, vocabulary] of the last position only.  Calls with a cache take no
  part in gradients."
  ((config config)
   (embed-tokens embed-tokens)
   (embed-layer embed-layer)
   (states states)
   (positions positions)
   (embed-norm embed-norm)
   (layers layers)
   (norm norm)
   (lm-head lm-head)
   (rotation rotation)
   (scale scale)
   (softcap softcap)
   (logit-scale logit-scale)
   (rules rules))
  (forward (ids :cache #f :padding #f :last #f)
    (if cache
        (inference-mode
          (%decoder-logits self (%placed-ids self ids) cache padding last))
        (%decoder-logits self (%placed-ids self ids) #f padding last))))

(define (language-model? x)
  "Whether it is a language model, as load-llm returns."
  (decoder? x))

(define (%check-language-model who x)
  (unless (decoder? x)
    (wrong-type who "a language model" x)))

(define (model-config model)
  "The settings of a language model: a hash table, as in its config.json."
  (%check-language-model "model-config" model)
  (decoder-config model))

(define (model-context model)
  "The longest context of a language model: the one that it has learned, times
  the factor of a scaling that stretches it while it runs; a million for layers
  of states without positions."
  (let* ((config (model-config model))
         (context (%config-context config))
         (rope (%config-rope config)))
    (cond ((equal? (%rope-type rope) "dynamic")
           (exact (floor (* context (%rope-number rope "factor")))))
          ((and (decoder-states model) (not (decoder-rotation model)))
           %endless-context)
          (else context))))

(define %endless-context 1000000)

(define (model-dtype model)
  "The dtype in which a language model calculates."
  (%check-language-model "model-dtype" model)
  (tensor-dtype (cdr (car (append (state-dict (decoder-norm model))
                                  (state-dict (car (decoder-layers model))))))))

(define (%layer-count model)
  (length (decoder-layers model)))

(define (%has-states? model)
  "Whether it is a language model whose layers carry states."
  (and (decoder? model) (decoder-states model)))

(define (hidden-states model ids :cache #f :padding #f)
  "What a language model has for each token after its last norm: ids [n, t] ->
  [n, t, width].  The keywords are those of a call of the model."
  (%check-language-model "hidden-states" model)
  (let ((ids (%placed-ids model ids)))
    (if cache
        (inference-mode
          (%decoder-states model ids (%new-step model ids cache padding)))
        (%decoder-states model ids (%new-step model ids #f padding)))))

(define (attention-scores model ids layer :padding #f)
  "The weights with which each token attends to others in a layer: ids [n, t]
  -> [n, heads, t, t], each row adds up to 1.  layer counts from 0."
  (%check-language-model "attention-scores" model)
  (unless (and (exact-integer? layer) (< -1 layer (%layer-count model)))
    (wrong-type "attention-scores"
                (string "a layer from 0 to " (- (%layer-count model) 1))
                layer))
  (no-grad
    (let* ((ids (%placed-ids model ids))
           (step (%new-step model ids #f padding)))
      (%watch-layer! step layer)
      (%decoder-states model ids step)
      (or (%step-weights step)
          (error "attention-scores: the layer has no attention that shows its \
weights:" layer)))))

(define (%placed-ids model ids)
  "Token ids on the device of the model's table of tokens; #f and the like as
  they are."
  (let* ((table (decoder-embed-tokens model))
         (weight (cond ((embedding? table) (embedding-weight table))
                       ((quantized-embedding? table)
                        (quantized-embedding-weight table))
                       (else #f))))
    (if (and (tensor? weight) (tensor? ids))
        (tensor-to ids (tensor-device weight))
        ids)))

(define (%decoder-logits model ids cache padding last)
  "The logits of a call."
  (%step-logits model ids (%new-step model ids cache padding) last))

(define (%step-logits model ids step last)
  "The logits of a step, or with last of its last position only."
  (let* ((states (%decoder-states model ids step))
         (states (if last
                     (tensor-narrow states 1 (- (tensor-size states 1) 1) 1)
                     states))
         (logits ((decoder-lm-head model) states))
         (scale (decoder-logit-scale model))
         (logits (if scale (* scale logits) logits))
         (cap (decoder-softcap model)))
    (if cap
        (* cap (tensor-tanh (/ logits cap)))
        logits)))

(define (%decoder-states model ids step)
  "The states after the last norm; a cache has then advanced."
  (let* ((x (%embedded model ids step))
         (x (let loop ((layers (decoder-layers model)) (x x))
              (if (null? layers)
                  x
                  (loop (cdr layers) ((car layers) x step)))))
         (x ((decoder-norm model) x)))
    (%finish-step! step)
    x))

(define (%embedded model ids step)
  "The vectors of tokens, and of their places where those are learned."
  (let* ((x (%looked-up model ids step))
         (scale (decoder-scale model))
         (x (if scale (* x scale) x))
         (layer (decoder-embed-layer model))
         (x (if layer (layer x) x))
         (positions (decoder-positions model))
         (x (if positions (+ x (positions (%step-positions step))) x))
         (norm (decoder-embed-norm model)))
    (if norm (norm x) x)))

(define (%looked-up model ids step)
  "The rows of the table of tokens."
  (let ((table (decoder-embed-tokens model)))
    (if (and (%step-cache step)
             (> (tensor-numel ids) %looked-up-at-once)
             (embedding? table)
             (not (%head-of-table? (decoder-lm-head model) table)))
        (tensor-reshape (%looked-up-in-parts table ids)
                        (append (tensor-shape ids) '(-1)))
        (table ids))))

(define (%looked-up-in-parts table ids)
  "The rows of a table that only prompts read much of: if it lies in a mapped
  file, the memory that it took is given back after each part of the prompt.
  In the order of the rows, so that each part is of one piece of the file."
  (let* ((ids (tensor-reshape ids -1))
         (order (tensor-argsort ids))
         (parts (tensor-split (tensor-index-select ids 0 order)
                              %looked-up-at-once 0)))
    (%give-back table)
    (tensor-index-select
     (tensor-cat (map (lambda (part)
                        (let ((rows (table part)))
                          (%give-back table)
                          rows))
                      parts)
                 0)
     0 (tensor-argsort order))))

(define (%give-back table)
  (%procedure "give-back-unchanged" (embedding-weight table)))

(define %looked-up-at-once 128)                  ; tokens

(define (%head-of-table? head table)
  "Whether a head multiplies by the table of tokens."
  (and (linear? head)
       (tensor-is-set-to (linear-weight head) (embedding-weight table))))
