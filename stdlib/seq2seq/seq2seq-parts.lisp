;; seq2seq-parts.lisp - what encoders and decoders of seq2seq consist of.
;;
;; A layer gets x [n, t, width] and a step: in the encoder, the memory that is
;; being made; in the decoder, the step of its call, which has the memory.

(define-module (seq2seq-layer self-attn self-attn-norm mlp final-norm
                              :cross #f :cross-norm #f :norm-first #t
                              :drop-rate 0.0)
  "A layer of an encoder, or with cross, attention to the memory, of a decoder.
  x [n, t, width] -> the same shape.  Norms stand before each part with
  norm-first, and after what it is added to otherwise."
  ((self-attn self-attn)
   (self-attn-layer-norm self-attn-norm)
   (encoder-attn cross)
   (encoder-attn-layer-norm cross-norm)
   (mlp mlp)
   (final-layer-norm final-norm)
   (norm-first norm-first)
   (dropout (dropout :p drop-rate)))
  (forward (x step)
    (define (added x norm part)
      (if norm-first
          (+ x (dropout (part (norm x))))
          (norm (+ x (dropout (part x))))))
    (let* ((x (added x self-attn-layer-norm
                     (lambda (x) (self-attn x step))))
           (x (if encoder-attn
                  (added x encoder-attn-layer-norm
                         (lambda (x) (encoder-attn x step)))
                  x)))
      (added x final-layer-norm mlp))))

(define-module (seq2seq-attention role width heads :head-dim #f :layer 0
                                  :bias #t :key-bias #t :scale #f
                                  :positions #f)
  "Attention in seq2seq-layer.  x [n, t, width] -> the same shape.

  role: encoder, all tokens of a source to all; decoder, what is written to what
  is before it; memory, what is written to the source.  bias: of all
  projections, with key-bias of keys, too.  scale is 1 / sqrt(head-dim) unless
  given.  positions: a module of what is added to scores, or #f."
  ((role role)
   (heads heads)
   (layer layer)
   (scale scale)
   (positions positions)
   (q-proj (blank-linear width (* heads (or head-dim (quotient width heads)))
                         :bias bias))
   (k-proj (blank-linear width (* heads (or head-dim (quotient width heads)))
                         :bias (and bias key-bias)))
   (v-proj (blank-linear width (* heads (or head-dim (quotient width heads)))
                         :bias bias))
   (out-proj (blank-linear (* heads (or head-dim (quotient width heads))) width
                           :bias bias)))
  (forward (x step)
    (let* ((pair (if (eq? role 'memory)
                     (%memory-pair self step)
                     (%keys-of self x)))
           (q (%heads-apart (q-proj x) heads))
           (y (case role
                ((encoder)
                 (attention q (car pair) (cdr pair) :scale scale
                            :mask (%biased-mask self step q)))
                ((memory) (%attend-memory self step q pair))
                (else (%attend-written self step q pair)))))
      (out-proj (tensor-flatten (tensor-transpose y 1 2) 2)))))

(define (%keys-of part x)
  "The pair of keys and values [n, heads, s, d] of x [n, s, width]."
  (let ((heads (seq2seq-attention-heads part)))
    (cons (%heads-apart ((seq2seq-attention-k-proj part) x) heads)
          (%heads-apart ((seq2seq-attention-v-proj part) x) heads))))

(define (%biased-mask part memory q)
  "What the encoder adds to scores, or its mask of what is seen, or #f."
  (let ((mask (%memory-mask memory))
        (positions (seq2seq-attention-positions part))
        (t (tensor-size q 2)))
    (if positions
        (let ((bias (%shared-bias memory memory
                                  (lambda () (positions 0 t t)))))
          (if (tensor? mask)
              (tensor-masked-fill bias (tensor-logical-not mask) -inf.0)
              bias))
        mask)))

(define (%shared-bias memory step compute)
  "The bias of a step, which its layers share."
  (let ((kept (%memory-bias memory)))
    (if (and kept (eq? (car kept) step))
        (cdr kept)
        (let ((bias (compute)))
          (%set-memory-bias! memory (cons step bias))
          bias))))

(define (%attend-written part step q pair)
  "Attention of what is written to what is before it; a cache of the step gets
  the new keys and values."
  (let* ((positions (seq2seq-attention-positions part))
         (scale (seq2seq-attention-scale part))
         (layer (seq2seq-attention-layer part))
         (tables (%layer-angles step #f))
         (cache (%step-cache step)))
    (define (attend q keys values length)
      (let ((bias (%shared-bias
                   (%step-memory step) step
                   (lambda ()
                     (positions (%step-start step) (tensor-size q 2)
                                length)))))
        (attention q (tensor-narrow keys 2 0 length)
                   (tensor-narrow values 2 0 length)
                   :scale scale :causal #t :mask bias)))
    (cond ((not positions)
           (%attend step layer tables #f scale 0.0 q (car pair) (cdr pair)))
          ((not cache)
           (attend q (car pair) (cdr pair) (tensor-size (car pair) 2)))
          (else
           (let-values (((q keys values length first)
                         (%cache-extend! cache layer #f tables q (car pair)
                                         (cdr pair))))
             (attend q keys values length))))))

(define (%attend-memory part step q pair)
  "Attention of what is written to the source, whose keys and values are a
  pair; those of one row serve all."
  (let ((n (tensor-size q 0)) (layer (seq2seq-attention-layer part)))
    (define (for-all x)
      (if (= n (tensor-size x 0))
          x
          (tensor-expand x (cons n (cdr (tensor-shape x))))))
    (when (and (pair? (%step-watched step)) (memv layer (%step-watched step)))
      (%set-step-weights!                        ; an alist; see word-times.lisp
       step (cons (cons layer
                        (attention-weights
                         q (for-all (car pair))
                         :scale (seq2seq-attention-scale part)
                         :mask (%memory-mask (%step-memory step))))
                  (%step-weights step))))
    (attention q (for-all (car pair)) (for-all (cdr pair))
               :scale (seq2seq-attention-scale part)
               :mask (%memory-mask (%step-memory step)))))

(define (%memory-pair part step)
  "The keys and values of the memory for a layer; with a cache, they are
  computed once."
  (let* ((memory (%step-memory step))
         (keys (%memory-keys memory))
         (layer (seq2seq-attention-layer part)))
    (define (computed) (%keys-of part (source-memory-states memory)))
    (cond ((not (%step-cache step)) (computed))
          ((vector-ref keys layer))
          (else (vector-set! keys layer (computed))
                (vector-ref keys layer)))))

;; Encoders of texts.

(define-module (source-encoder :embed-tokens #f :positions #f :scale #f
                               :embed-norm #f :layers '() :norm #f
                               :context #f)
  "The encoder of a text: ids int64 [n, s] and the memory that is being made ->
  states [n, s, width].  scale multiplies what embed-tokens returns; positions
  are modules of positions [s], embed-norm of their sum, norm of the last states;
  each may be #f.  context: the most tokens, or #f."
  ((embed-tokens embed-tokens)
   (positions positions)
   (scale scale)
   (embed-norm embed-norm)
   (layers layers)
   (norm norm)
   (context context))
  (forward (ids memory)
    (%check-source-ids ids context)
    (let* ((x (embed-tokens ids))
           (x (if scale (* x scale) x))
           (x (if positions
                  (+ x (positions (tensor-arange (tensor-size ids 1)
                                                 :device (tensor-device ids))))
                  x))
           (x (if embed-norm (embed-norm x) x))
           (x (fold (lambda (layer x) (layer x memory)) x layers)))
      (if norm (norm x) x))))

(define (%check-source-ids ids context)
  "Raise an error unless they are the tokens of a source."
  (unless (and (= (tensor-rank ids) 2) (memq (tensor-dtype ids) '(int64 int32))
               (> (tensor-numel ids) 0))
    (%error-with-hint "read-source: expected token ids [n, s] of dtype int64, got"
                      (list (tensor-shape ids) (tensor-dtype ids))
                      "one text: (tensor (list ids))"))
  (when (and context (> (tensor-size ids 1) context))
    (%error-with-hint
     (format "read-source: ~a tokens are more than the ~a that the model has \
positions for" (tensor-size ids 1) context)
     '() "shorten the source, or split it: (take ids n)")))
