;; decoder-parts.lisp - what the layers of most language models consist of.
;;
;; The projections of queries, keys and values are one matrix, as are those of
;; gate and up: each matrix is read once for a token, and fewer are faster.
;; Rules of loading (`qkv-rules`) join what files have in parts.

(define-module (decoder-layer input-layernorm self-attn
                              post-attention-layernorm mlp)
  "A layer of a language model: attention, then an MLP, each after a norm and
  added to what came in.  x [n, t, width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (mlp mlp))
  (forward (x step)
    (let ((x (+ x (self-attn (input-layernorm x) step))))
      (+ x (mlp (post-attention-layernorm x))))))

(define-module (self-attention width heads :kv-heads #f :head-dim #f
                               :layer 0 :bias #f :out-bias #f :window #f
                               :scale #f :softcap #f :q-norm #f :k-norm #f)
  "Attention of tokens to those before them, for decoder-layer.  x [n, t,
  width] -> the same shape.

  layer: which layer of the model it is in, from 0.  bias: of the joined
  projection qkv-proj; out-bias: of o-proj.  window, scale and softcap are
  those of attention.  q-norm and k-norm are modules for queries and keys [...,
  head-dim], or #f."
  ((heads heads)
   (kv-heads (or kv-heads heads))
   (head-dim (or head-dim (quotient width heads)))
   (layer layer)
   (window window)
   (scale scale)
   (softcap softcap)
   (qkv-proj (blank-linear width (* (+ heads (* 2 kv-heads)) head-dim)
                           :bias bias))
   (q-norm q-norm)
   (k-norm k-norm)
   (o-proj (blank-linear (* heads head-dim) width :bias out-bias)))
  (forward (x step)
    (let* ((n (tensor-size x 0))
           (t (tensor-size x 1))
           (joined (tensor-reshape (qkv-proj x)  ; [n, t, heads, d]
                                   (list n t (+ heads (* 2 kv-heads))
                                         head-dim)))
           (v (tensor-narrow joined 2 (+ heads kv-heads) kv-heads)))
      (let-values (((q k) (%placed-heads joined heads kv-heads q-norm k-norm
                                         (%step-angles step))))
        (o-proj (%attend step layer window scale softcap q k v))))))

(define (%placed-heads joined heads kv-heads q-norm k-norm angles)
  "Queries and keys after their norms and rotations."
  (if (or q-norm k-norm)
      (let* ((q (tensor-narrow joined 2 0 heads))
             (k (tensor-narrow joined 2 heads kv-heads))
             (q (if q-norm (q-norm q) q))
             (k (if k-norm (k-norm k) k)))
        (if angles
            (values (%rotated q angles) (%rotated k angles))
            (values q k)))
      (let* ((both (tensor-narrow joined 2 0 (+ heads kv-heads)))
             (both (if angles (%rotated both angles) both)))
        (values (tensor-narrow both 2 0 heads)
                (tensor-narrow both 2 heads kv-heads)))))

(define (%attend step layer window scale softcap q k v)
  "The attention of a layer: q [n, t, heads, d], k and v [n, t, kv-heads, d]
  -> [n, t, heads * d].  The new keys go to the cache of the step."
  (let ((cache (%step-cache step))
        (k (tensor-transpose k 1 2))
        (v (tensor-transpose v 1 2)))
    (cond ((not cache)
           (%attend-to step layer window scale softcap q k v 0))
          (else
           (let ((window (%narrower window (%cache-window cache))))
             (let-values (((k v first)
                           (%cache-extend! cache layer window k v)))
               (%attend-to step layer window scale softcap q k v first)))))))

(define (%narrower a b)
  "The smaller of two windows, each of which may be #f."
  (if (and a b) (min a b) (or a b)))

(define (%attend-to step layer window scale softcap q k v first)
  "Attention to keys and values [n, kv-heads, s, d] from position first."
  (let ((one (= (tensor-size q 1) 1))
        (extra (if window (- (tensor-size k 2) window) 0)))
    (if (and one (> extra 0))
        (%attend-seen step layer window scale softcap q
                      (tensor-narrow k 2 extra window)
                      (tensor-narrow v 2 extra window) (+ first extra))
        (%attend-seen step layer window scale softcap q k v first))))

(define (%attend-seen step layer window scale softcap q k v first)
  (let ((mask (%step-mask step window first (tensor-size k 2))))
    (when (eqv? layer (%step-watched step))
      (%set-step-weights! step (%all-weights q k mask scale softcap)))
    (cond (softcap (%attend-capped q k v mask scale softcap))
          ((= (tensor-size q 1) 1) (%attend-once q k v mask scale))
          (else
           (%heads-together
            (%fused-attention (tensor-transpose q 1 2) k v mask 0.0
                              scale))))))

(define (%attend-once q k v mask scale)
  "Attention of one token: the query heads that share keys become rows of
  queries, so that keys need not be repeated.  q [n, 1, heads, d]."
  (let* ((n (tensor-size q 0)) (d (tensor-size q 3))
         (rows (tensor-reshape q (list n (tensor-size k 1) -1 d)))
         (y (tensor-scaled-dot-product-attention rows k v mask :scale scale)))
    (tensor-reshape y (list n 1 -1))))

(define (%heads-together y)
  "y [n, heads, t, d] as [n, t, heads * d]."
  (tensor-flatten (tensor-transpose y 1 2) 2))

(define (%attend-capped q k v mask scale softcap)
  (%heads-together
   (%weigh-values (%all-weights q k mask scale softcap) v)))

(define (%all-weights q k mask scale softcap)
  "The weights [n, heads, t, s] of q [n, t, heads, d]."
  (attention-weights (tensor-transpose q 1 2) k :scale scale :softcap softcap
                     :causal (eq? mask 'causal)
                     :mask (and (tensor? mask) mask)))

;; MLPs.

(define-module (gated-mlp width hidden :activation "silu" :bias #f)
  "The layer down(act(gate x) * up x).  x [..., width] -> the same shape.
  gate-up-proj is the joined matrix of gate and up.  activation: a name as in
  config.json."
  ((gate-up-proj (blank-linear width (* 2 hidden) :bias bias))
   (activation (%named-activation activation))
   (down-proj (blank-linear hidden width :bias bias)))
  (forward (x)
    (let-list (((gate up) (tensor-chunk (gate-up-proj x) 2 -1)))
      (down-proj (* (activation gate) up)))))

(define-module (plain-mlp width hidden :activation "gelu_new" :bias #t)
  "The layer fc2(act(fc1 x)).  x [..., width] -> the same shape."
  ((fc1 (blank-linear width hidden :bias bias))
   (activation (%named-activation activation))
   (fc2 (blank-linear hidden width :bias bias)))
  (forward (x) (fc2 (activation (fc1 x)))))

(define (%named-activation name)
  "The procedure for the name of an activation in config.json."
  (cond ((member name '("silu" "swish")) tensor-silu)
        ((equal? name "gelu") tensor-gelu)
        ((member name '("gelu_new" "gelu_pytorch_tanh" "gelu_fast"))
         (lambda (x) (tensor-gelu x :approximate "tanh")))
        ((equal? name "relu") tensor-relu)
        (else
         (error "load-llm: config.json: expected silu, gelu, gelu_new, \
gelu_pytorch_tanh or relu as the activation, got" name))))

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

(define (tied-head embed-tokens)
  "The head that shares its matrix with the table of tokens."
  (let ((layer (linear 1 1 :bias #f)))
    (set-linear-weight! layer (embedding-weight embed-tokens))
    layer))

(define (head-of config embed-tokens tied)
  "The head of a model: tied to the table of tokens, or with its own matrix;
  tied is what settings without an answer mean."
  (if (%config-flag config "tie_word_embeddings" tied)
      (tied-head embed-tokens)
      (blank-linear (%config-size config "hidden_size")
                    (%config-size config "vocab_size"))))

(define (qkv-rules config)
  "The rules of loading for joined projections: in files, queries, keys and
  values are apart, as are gate and up."
  (let-values (((heads kv-heads size) (%config-heads config)))
    (list (list 'qkv_proj :from '(q_proj k_proj v_proj)
                :sizes (list heads kv-heads kv-heads))
          '(gate_up_proj :from (gate_proj up_proj)))))

(define (base-prefix prefix)
  "The rule that all names but those of the head begin with a prefix in files."
  (lambda (name)
    (if (string-prefix? "lm_head." name)
        name
        (string prefix "." name))))
