;; decoder-parts.lisp - what the layers of most language models consist of.
;;
;; The projections of queries, keys and values are one matrix, as are those of
;; gate and up: each matrix is read once for a token, and fewer are faster.
;; Rules of loading (`qkv-rules`) join what files have in parts.

(define-module (decoder-layer input-layernorm self-attn
                              post-attention-layernorm mlp :scale #f)
  "A layer of a language model: attention, then an MLP, each after a norm and
  added to what came in.  x [n, t, width] -> the same shape.  scale: what is
  added is multiplied by it."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (mlp mlp)
   (scale scale))
  (forward (x step)
    (let* ((y (self-attn (input-layernorm x) step))
           (x (+ x (if scale (* scale y) y)))
           (y (mlp (post-attention-layernorm x))))
      (+ x (if scale (* scale y) y)))))

(define-module (self-attention width heads :kv-heads #f :head-dim #f
                               :layer 0 :bias #f :out-bias #f :window #f
                               :scale #f :softcap #f :dropout 0.0
                               :q-norm #f :k-norm #f :rotation 'model
                               :rotate-first #f :query-scale #f :grouped #f
                               :clip #f :key-bias #f :sinks #f)
  "Attention of tokens to those before them, for decoder-layer.  x [n, t,
  width] -> the same shape.

  layer: which layer of the model it is in, from 0.  bias: of the joined
  projection qkv-proj; out-bias: of o-proj.  window, scale and softcap are
  those of attention, as is dropout, which acts in training.  q-norm and k-norm
  are modules for queries and keys [n, heads, t, head-dim], or #f; with
  rotate-first they act after the rotation.  rotation: of decoder-rotation-of,
  #f for none, or the symbol model for the decoder's.  query-scale: a procedure
  from positions [t] or [n, t] to what queries there are multiplied by.
  grouped: whether qkv-proj has the heads of queries beside the head of keys and
  values that they share, rather than all queries first.  clip: the largest
  element of queries, keys and values.  key-bias and sinks: see
  biased-attention.lisp."
  ((heads heads)
   (kv-heads (or kv-heads heads))
   (head-dim (or head-dim (quotient width heads)))
   (layer layer)
   (window window)
   (scale scale)
   (softcap (inexact (or softcap 0.0)))
   (dropout (%rate "self-attention" "dropout" dropout))
   (grouped grouped)
   (clip clip)
   (key-bias key-bias)
   (sinks (and sinks (tensor-zeros heads :dtype (%weight-dtype))) :parameter)
   (qkv-proj (blank-linear width (* (+ heads (* 2 kv-heads)) head-dim)
                           :bias bias))
   (q-norm q-norm)
   (k-norm k-norm)
   (rotation rotation)
   (rotate-first rotate-first)
   (query-scale query-scale)
   (o-proj (blank-linear (* heads head-dim) width :bias out-bias)))
  (forward (x step)
    (let* ((n (tensor-size x 0))
           (joined (qkv-proj x))
           (joined (if clip (tensor-clamp joined (- clip) clip) joined))
           (joined (if grouped
                       (%groups-last joined heads kv-heads head-dim)
                       joined))
           (joined (tensor-transpose                         ; [n, heads, t, d]
                    (tensor-reshape joined
                                    (list n (tensor-size x 1)
                                          (+ heads kv-heads kv-heads)
                                          head-dim))
                    1 2))
           (q (tensor-narrow joined 1 0 heads))
           (k (tensor-narrow joined 1 heads kv-heads))
           (v (tensor-narrow joined 1 (+ heads kv-heads) kv-heads))
           (tables (%layer-angles step rotation))
           (q (if rotate-first (%rotated q tables) q))
           (k (if rotate-first (%rotated k tables) k))
           (q (if q-norm (q-norm q) q))
           (k (if k-norm (k-norm k) k))
           (q (if query-scale (%scaled-queries q query-scale step) q))
           (tables (if rotate-first (%layer-angles step #f) tables))
           (dropped (if (training? self) dropout 0.0))
           (y (cond ((or key-bias sinks)
                     (%attend-biased step layer tables window scale key-bias
                                     sinks dropped q k v))
                    ((> dropped 0)
                     (%attend-dropping step tables window scale softcap dropout
                                       q k v))
                    (else
                     (%attend step layer tables window scale softcap q k
                              v)))))
      (o-proj (tensor-reshape (tensor-transpose y 1 2)
                              (list n (tensor-size x 1)
                                    (* heads head-dim)))))))

(define (%scaled-queries q scale step)
  "Queries [n, heads, t, d] times a scale of their positions."
  (let* ((start (%step-start step))
         (factors (scale (or (%step-positions step)
                             (tensor-arange start (+ start (tensor-size q 2))
                                            :device (tensor-device q)))))
         (column (tensor-unsqueeze (tensor-to factors (tensor-dtype q)) -1)))
    (* q (if (= (tensor-rank column) 3)
             (tensor-unsqueeze column 1)                     ; [n, 1, t, 1]
             column))))

(define (%groups-last joined heads kv-heads head-dim)
  "Joined queries, keys and values [n, t, width] that lie by heads of keys, as
  all queries, then all keys, then all values."
  (let* ((group (quotient heads kv-heads))
         (parts (tensor-unflatten joined -1
                                  (list kv-heads (+ group 2) head-dim))))
    (define (part start size)
      (tensor-flatten (tensor-narrow parts -2 start size) -3 -1))
    (tensor-cat (list (part 0 group) (part group 1) (part (+ group 1) 1)) -1)))

(define (%attend step layer tables window scale softcap q k v)
  "The attention of a layer [n, heads, t, d], of q [n, heads, t, d], k and v
  [n, kv-heads, t, d] that are not rotated yet.  The new keys and values go to
  the cache of the step."
  (let ((cache (%step-cache step)))
    (cond ((not cache)
           (%attend-to step layer window scale softcap (%rotated q tables)
                       (%rotated k tables) v (tensor-size k 2) 0))
          ((%streaming cache)
           (%attend-streamed step layer tables q k v :window window
                             :scale scale :softcap softcap))
          ((%paged-batch? cache)
           (%attend-paged step cache layer window scale softcap
                          (%rotated q tables) (%rotated k tables) v))
          (else
           (let ((window (%narrower window (%cache-window cache))))
             (let-values (((q keys values length first)
                           (%cache-extend! cache layer window tables q k v)))
               (%attend-to step layer window scale softcap q keys values
                           length first)))))))

(define (%attend-dropping step tables window scale softcap dropout q k v)
  "%attend in training, with dropout of the weights."
  (when (%step-cache step)
    (error "language model: a model in training takes no cache; call eval-mode! \
first"))
  (let ((padding (%step-padding step)))
    (attention (%rotated q tables) (%rotated k tables) v
               :causal #t :window window :scale scale
               :softcap (and (> softcap 0) softcap)
               :dropout dropout :training #t
               :mask (and padding (%real-keys padding (tensor-size k 2))))))

(define (%narrower a b)
  "The smaller of two windows, each of which may be #f."
  (if (and a b) (min a b) (or a b)))

(define (%attend-to step layer window scale softcap q keys values length first)
  "Attention of q, the last of `length` positions, to keys [n, kv-heads, room,
  d], the first of which has position `first`."
  (let* ((padding (%step-padding step))
         (padding (if (and padding (> first 0))
                      (tensor-clamp-min (- padding first) 0)
                      padding)))
    (when (eqv? layer (%step-watched step))
      (%set-step-weights! step
                          (attention-weights
                           q keys :causal #t :window window :scale scale
                           :softcap (and (> softcap 0) softcap)
                           :mask (and padding
                                      (%real-keys padding length)))))
    (tensor-cached-attention q keys values length padding window :scale scale
                             :softcap softcap)))

(define (%real-keys padding length)
  "The mask [n, 1, t, s] of keys that are not padding, besides each token's
  own."
  (let ((places (tensor-arange length :device (tensor-device padding))))
    (tensor-unsqueeze
     (tensor-logical-or
      (tensor-unsqueeze (tensor-ge places (tensor-unsqueeze padding 1)) 1)
      (tensor-eq places (tensor-unsqueeze places 1)))
     1)))

;; MLPs.

(define-module (gated-mlp width hidden :activation "silu" :bias #f)
  "The layer down(act(gate x) * up x).  x [..., width] -> the same shape.
  gate-up-proj is the joined matrix of gate and up.  activation: a name as in
  config.json."
  ((gate-up-proj (blank-linear width (* 2 hidden) :bias bias))
   (activation (%gated-activation activation))
   (down-proj (blank-linear hidden width :bias bias)))
  (forward (x) (down-proj (activation (gate-up-proj x)))))

(define-module (plain-mlp width hidden :activation "gelu_new" :bias #t)
  "The layer fc2(act(fc1 x)).  x [..., width] -> the same shape.  activation: a
  name as in config.json, or a module."
  ((fc1 (blank-linear width hidden :bias bias))
   (activation (%plain-activation activation))
   (fc2 (blank-linear hidden width :bias bias)))
  (forward (x) (fc2 (activation (fc1 x)))))

(define (%gated-activation name)
  "The procedure act(gate) * up of a joined tensor, for the name of an
  activation."
  (cond ((member name '("silu" "swish"))
         (lambda (joined) (tensor-silu-mul joined)))
        ((equal? name "gelu") (lambda (joined) (tensor-gelu-mul joined)))
        ((member name %tanh-gelus)
         (lambda (joined) (tensor-gelu-mul joined :approximate "tanh")))
        (else
         (let ((activation (%plain-activation name)))
           (lambda (joined)
             (let-list (((gate up) (tensor-chunk joined 2 -1)))
               (* (activation gate) up)))))))

(define %tanh-gelus '("gelu_new" "gelu_pytorch_tanh" "gelu_fast"))

(define (%plain-activation name)
  "The procedure for the name of an activation; a module of one as it is."
  (cond ((not (string? name)) name)
        ((member name '("silu" "swish")) tensor-silu)
        ((equal? name "gelu") tensor-gelu)
        ((member name %tanh-gelus)
         (lambda (x) (tensor-gelu x :approximate "tanh")))
        ((equal? name "relu") tensor-relu)
        ((equal? name "quick_gelu")
         (lambda (x) (* x (tensor-sigmoid (* x 1.702)))))
        ((equal? name "relu2") (lambda (x) (tensor-square (tensor-relu x))))
        (else
         (%settings-error (format "expected silu, gelu, gelu_new, \
gelu_pytorch_tanh, quick_gelu, relu or relu2 as the activation, got ~s" name)))))

;; Norms.

(define-module (llm-norm size :eps 1e-6 :offset 0.0)
  "The norm x / rms(x) * (offset + weight), in one operator.  x [..., size] ->
  the same shape.  offset is 1 in Gemma, whose weights begin with zeros."
  ((eps eps)
   (offset offset)
   (weight (tensor-full (list size) (- 1.0 offset)) :parameter))
  (forward (x) (tensor-fused-rms-norm x weight eps offset)))

;; Layers without initial values, which loading fills.

(define %weight-dtype (make-parameter 'float32))

(define (blank-linear in out :bias #f)
  "A linear layer whose weight has no values yet, in the dtype of the model
  that is being built; a bias begins with zeros."
  (let ((layer (linear 1 1 :bias bias)))
    (set-linear-weight! layer (tensor-empty out in :dtype (%weight-dtype)))
    (when bias
      (set-linear-bias! layer (tensor-zeros out :dtype (%weight-dtype))))
    layer))

(define (blank-embedding rows width)
  "A table of vectors without values yet."
  (let ((layer (embedding 1 1)))
    (set-embedding-num-embeddings! layer rows)
    (set-embedding-embedding-dim! layer width)
    (set-embedding-weight! layer
                           (tensor-empty rows width :dtype (%weight-dtype)))
    layer))

(define (tied-head embed-tokens :bias #f)
  "The head that shares its matrix with the table of tokens."
  (let ((layer (linear 1 1 :bias bias))
        (table (embedding-weight embed-tokens)))
    (set-linear-weight! layer table)
    (when bias
      (set-linear-bias! layer (tensor-zeros (tensor-size table 0)
                                            :dtype (%weight-dtype))))
    layer))

(define (head-of config embed-tokens tied :bias #f)
  "The head of a model: tied to the table of tokens, or with its own matrix;
  tied is what settings without an answer mean."
  (if (%config-flag config "tie_word_embeddings" tied)
      (tied-head embed-tokens :bias bias)
      (blank-linear (%config-size config "hidden_size")
                    (%config-size config "vocab_size")
                    :bias bias)))

(define (qkv-rules config)
  "The rules of loading for joined projections: in files, queries, keys and
  values are apart, as are gate and up."
  (let-values (((heads kv-heads size) (%config-heads config)))
    (list (list 'qkv_proj :from '(q_proj k_proj v_proj)
                :sizes (list heads kv-heads kv-heads))
          '(gate_up_proj :from (gate_proj up_proj)))))

(define (base-prefix prefix :head "lm_head")
  "The rule that all names but those of the head begin with a prefix in files;
  head: the name of the head in them."
  (lambda (name)
    (if (string-prefix? "lm_head." name)
        (string head (substring name 7 (string-length name)))
        (string prefix "." name))))
