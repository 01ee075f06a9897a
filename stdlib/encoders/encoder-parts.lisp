;; encoder-parts.lisp - what the layers of most encoders consist of.

(define-module (text-embeddings vocabulary width :positions #f :types 0
                                :norm #f :project #f :first-position 0
                                :padding-id 0 :drop-rate 0.0 :masked #f)
  "The vectors of tokens: of words, with learned positions and types added if
  there are any, then a norm and a projection.  ids int64 [n, t] -> [n, t,
  width], or the width of the projection.

  positions: how many there are, or #f; they count from first-position, and if
  that is not 0, padding does not count.  types: how many.  masked: whether
  padding becomes zeros."
  ((words (blank-embedding vocabulary width))
   (positions (and positions (blank-embedding positions width)))
   (type-vectors (and (> types 0) (blank-embedding types width)))
   (norm norm)
   (project project)
   (first-position first-position)
   (padding-id padding-id)
   (masked masked)
   (dropout (dropout :p drop-rate)))
  (forward (ids mask types)
    (let* ((x (words ids))
           (x (if positions
                  (+ x (positions (%encoder-positions ids first-position
                                                      padding-id)))
                  x))
           (x (if type-vectors
                  (+ x (type-vectors (if (tensor? types)
                                         types
                                         (tensor-zeros-like ids))))
                  x))
           (x (if norm (norm x) x))
           (x (if (and masked (tensor? mask))
                  (tensor-masked-fill
                   x (tensor-logical-not (tensor-unsqueeze mask 2)) 0)
                  x))
           (x (dropout x)))
      (if project (project x) x))))

(define (%encoder-positions ids first padding-id)
  "The position of each token: [1, t], or where padding does not count, [n, t]."
  (if (= first 0)
      (tensor-unsqueeze (tensor-arange (tensor-size ids 1)
                                       :device (tensor-device ids))
                        0)
      (let ((real (tensor-to (tensor-ne ids padding-id) 'int64)))
        (+ (* (tensor-cumsum real 1) real) (- first 1)))))

;; Relations.

(define-record-type %relation
  (%make-relation mask cos sin)
  %relation?
  (mask %relation-mask)                          ; bool or added to scores; or #f
  (cos %relation-cos)                            ; [t, pairs], or #f
  (sin %relation-sin))

(define (key-relation x mask)
  "The relation of layers that see every token but padding."
  (%make-relation (%key-mask mask) #f #f))

(define (%key-mask mask)
  "A mask [n, t] for keys, [n, 1, 1, t], or #f."
  (and (tensor? mask) (tensor-unsqueeze (tensor-unsqueeze mask 1) 1)))

(define (rotary-relation rotation :window #f)
  "The relation of layers whose queries and keys are rotated.  rotation: of
  decoder-rotation-of.  window: how far a token sees to each side, or #f."
  (lambda (x mask)
    (let* ((t (tensor-size x 1))
           (angles (%angles rotation 0 t #f #f (tensor-device x))))
      (%make-relation (if (and window (< window (- t 1)))
                          (%window-mask (%key-mask mask) t window
                                        (tensor-device x))
                          (%key-mask mask))
                      (car angles) (cdr angles)))))

(define (%window-mask keys t window device)
  "The mask of tokens that are near, and real or the query's own: a row without
  any would not be a number."
  (let* ((places (tensor-arange t :device device))
         (distance (tensor-abs (- (tensor-unsqueeze places 1) places)))
         (near (tensor-le distance window)))                     ; [t, t]
    (if (tensor? keys)
        (tensor-logical-or (tensor-logical-and near keys)
                           (tensor-eq distance 0))
        near)))

;; Layers.

(define-module (encoder-attention width heads :kv-heads #f :bias #t :out-bias #t
                                  :drop-rate 0.0)
  "Attention of all tokens to all that the relation lets them see.  x [n, t,
  width] -> the same shape.  bias: of the projections of queries, keys and values.
  drop-rate: of the weights, in training."
  ((heads heads)
   (kv-heads (or kv-heads heads))
   (drop-rate (%rate "encoder-attention" "drop-rate" drop-rate))
   (query (blank-linear width width :bias bias))
   (key (blank-linear width (* (quotient width heads) (or kv-heads heads))
                      :bias bias))
   (value (blank-linear width (* (quotient width heads) (or kv-heads heads))
                        :bias bias))
   (out (blank-linear width width :bias out-bias)))
  (forward (x relation)
    (let* ((cos (%relation-cos relation))
           (turned (lambda (x)
                     (if (tensor? cos)
                         (tensor-rotary x cos (%relation-sin relation))
                         x)))
           (y (tensor-scaled-dot-product-attention
               (turned (%heads-apart (query x) heads))
               (turned (%heads-apart (key x) kv-heads))
               (%heads-apart (value x) kv-heads)
               (%relation-mask relation)
               (if (training? self) drop-rate 0.0) #f
               :enable-gqa (not (= heads kv-heads)))))
      (out (%heads-joined y)))))

(define (%heads-apart x heads)
  "x [n, t, width] as [n, heads, t, width / heads]."
  (tensor-transpose (tensor-unflatten x 2 (list heads -1)) 1 2))

(define (%heads-joined x)
  "x [n, heads, t, d] as [n, t, heads * d]."
  (tensor-flatten (tensor-transpose x 1 2) 2))

(define-module (post-norm-encoder-layer attention attention-norm mlp norm
                                :drop-rate 0.0)
  "A layer of BERT: attention, then an MLP, each added to what came in and
  followed by a norm.  x [n, t, width] -> the same shape."
  ((attention attention)
   (attention-norm attention-norm)
   (mlp mlp)
   (norm norm)
   (dropout (dropout :p drop-rate)))
  (forward (x relation)
    (let ((x (attention-norm (+ x (dropout (attention x relation))))))
      (norm (+ x (dropout (mlp x)))))))

(define-module (pre-norm-layer attention-norm attention mlp-norm mlp
                               :drop-rate 0.0)
  "A layer of which attention and MLP each follow a norm and are added to what
  came in.  x [n, t, width] -> the same shape.  attention-norm may be #f."
  ((attention-norm attention-norm)
   (attention attention)
   (mlp-norm mlp-norm)
   (mlp mlp)
   (dropout (dropout :p drop-rate)))
  (forward (x relation)
    (let ((x (+ x (dropout (attention (if attention-norm (attention-norm x) x)
                                      relation)))))
      (+ x (dropout (mlp (mlp-norm x)))))))

(define-module (gate-and-up-mlp width hidden :activation "silu" :bias #f
                                :down-bias #f)
  "The layer down(act(gate x) * up x), whose matrices are apart.  x [..., width]
  -> the same shape.  activation: a name as in config.json."
  ((gate (blank-linear width hidden :bias bias))
   (up (blank-linear width hidden :bias bias))
   (activation (%plain-activation activation))
   (down (blank-linear hidden width :bias down-bias)))
  (forward (x) (down (* (activation (gate x)) (up x)))))
