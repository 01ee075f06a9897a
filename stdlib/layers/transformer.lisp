;; transformer.lisp - the blocks of Vaswani et al. 2017, and stacks of them,
;; with torch's parameters and arguments.
;;
;; Sequences are [t, n, d-model], or [n, t, d-model] with :batch-first #t, or
;; [t, d-model].  Masks are those of multi-head-attention.

(define (%activation who activation)
  "The function of a hidden layer: a procedure, or \"relu\" or \"gelu\"."
  (if (procedure? activation)
      activation
      (let ((name (%choice who "activation" activation '("relu" "gelu"))))
        (if (equal? name "relu") %relu %gelu))))

(define (%relu x) (tensor-relu x))
(define (%gelu x) (tensor-gelu x))

(define (%drop x p train)
  "x after dropout."
  (if (and train (> p 0)) (tensor-dropout x p #t) x))

(define (%attended attention query key padding mask causal p train)
  "The output of an attention after dropout."
  (receive (y weights)
      (attention query key key :key-padding-mask padding :attn-mask mask
                 :need-weights #f :is-causal causal)
    (%drop y p train)))

(define (%hidden x linear1 activation linear2 p train)
  "The output of the two linear layers of a block, after dropout."
  (%drop (linear2 (%drop (activation (linear1 x)) p train)) p train))

(define-module (transformer-encoder-layer d-model nhead :dim-feedforward 2048
                                          :dropout 0.1 :activation "relu"
                                          :layer-norm-eps 1e-5
                                          :batch-first #f :norm-first #f
                                          :bias #t)
  "A block of an encoder: attention of a sequence to itself, then two linear
  layers.  x [t, n, d-model] -> the same shape.

  activation is \"relu\", \"gelu\" or a procedure.  With :norm-first #t the
  norms are before the attention and the layers, not after their sums.  A
  call may have :src-mask, :src-key-padding-mask and :is-causal.
  ((transformer-encoder-layer 8 2) x) applies it to a tensor."
  ((self-attn (multi-head-attention d-model nhead :dropout dropout :bias bias
                                    :batch-first batch-first))
   (linear1 (linear d-model dim-feedforward :bias bias))
   (linear2 (linear dim-feedforward d-model :bias bias))
   (norm1 (layer-norm d-model :eps layer-norm-eps :bias bias))
   (norm2 (layer-norm d-model :eps layer-norm-eps :bias bias))
   (dropout (%rate "transformer-encoder-layer" "dropout" dropout))
   (activation (%activation "transformer-encoder-layer" activation))
   (norm-first norm-first))
  (forward (src :src-mask #f :src-key-padding-mask #f :is-causal #f)
    (let ((p dropout)
          (train (training? self)))
      (if norm-first
          (let* ((z (norm1 src))
                 (x (+ src (%attended self-attn z z src-key-padding-mask
                                      src-mask is-causal p train))))
            (+ x (%hidden (norm2 x) linear1 activation linear2 p train)))
          (let ((x (norm1 (+ src
                             (%attended self-attn src src
                                        src-key-padding-mask src-mask
                                        is-causal p train)))))
            (norm2 (+ x (%hidden x linear1 activation linear2 p train))))))))

(define-module (transformer-decoder-layer d-model nhead :dim-feedforward 2048
                                          :dropout 0.1 :activation "relu"
                                          :layer-norm-eps 1e-5
                                          :batch-first #f :norm-first #f
                                          :bias #t)
  "A block of a decoder: attention of a sequence to itself, attention to the
  memory of an encoder, then two linear layers.  Its arguments are tgt [t, n,
  d-model] and memory [s, n, d-model]; the result is like tgt.

  The arguments are those of transformer-encoder-layer.  A call may have
  :tgt-mask, :memory-mask, :tgt-key-padding-mask, :memory-key-padding-mask,
  :tgt-is-causal and :memory-is-causal.  ((transformer-decoder-layer 8 2) x
  memory) applies it to a tensor."
  ((self-attn (multi-head-attention d-model nhead :dropout dropout :bias bias
                                    :batch-first batch-first))
   (multihead-attn (multi-head-attention d-model nhead :dropout dropout
                                         :bias bias
                                         :batch-first batch-first))
   (linear1 (linear d-model dim-feedforward :bias bias))
   (linear2 (linear dim-feedforward d-model :bias bias))
   (norm1 (layer-norm d-model :eps layer-norm-eps :bias bias))
   (norm2 (layer-norm d-model :eps layer-norm-eps :bias bias))
   (norm3 (layer-norm d-model :eps layer-norm-eps :bias bias))
   (dropout (%rate "transformer-decoder-layer" "dropout" dropout))
   (activation (%activation "transformer-decoder-layer" activation))
   (norm-first norm-first))
  (forward (tgt memory :tgt-mask #f :memory-mask #f :tgt-key-padding-mask #f
                :memory-key-padding-mask #f :tgt-is-causal #f
                :memory-is-causal #f)
    (let* ((p dropout)
           (train (training? self))
           (to-itself (lambda (x)
                        (%attended self-attn x x tgt-key-padding-mask tgt-mask
                                   tgt-is-causal p train)))
           (to-memory (lambda (x)
                        (%attended multihead-attn x memory
                                   memory-key-padding-mask memory-mask
                                   memory-is-causal p train))))
      (if norm-first
          (let* ((x (+ tgt (to-itself (norm1 tgt))))
                 (x (+ x (to-memory (norm2 x)))))
            (+ x (%hidden (norm3 x) linear1 activation linear2 p train)))
          (let* ((x (norm1 (+ tgt (to-itself tgt))))
                 (x (norm2 (+ x (to-memory x)))))
            (norm3 (+ x (%hidden x linear1 activation linear2 p train))))))))

;; Stacks.

(define (%layer-copies who layer num-layers)
  "The copies of a layer that a stack consists of, as a list."
  (%positive who "num-layers" num-layers)
  (unless (module? layer)
    (wrong-type who "a module for the layer" layer))
  (map (lambda (k) (copy-module layer)) (iota num-layers)))

(define-module (transformer-encoder encoder-layer num-layers :norm #f)
  "A stack of num-layers copies of a transformer-encoder-layer, and a norm
  after them if there is one.  x [t, n, d-model] -> the same shape.

  The copies begin with equal parameters, as in PyTorch.  A call may have
  :mask, :src-key-padding-mask and :is-causal.  ((transformer-encoder layer 6)
  x) applies it to a tensor."
  ((layers (%layer-copies "transformer-encoder" encoder-layer num-layers))
   (norm norm))
  (forward (src :mask #f :src-key-padding-mask #f :is-causal #f)
    (let loop ((left layers) (x src))
      (cond ((pair? left)
             (loop (cdr left)
                   ((car left) x :src-mask mask
                               :src-key-padding-mask src-key-padding-mask
                               :is-causal is-causal)))
            (norm (norm x))
            (else x)))))

(define-module (transformer-decoder decoder-layer num-layers :norm #f)
  "A stack of num-layers copies of a transformer-decoder-layer, and a norm
  after them if there is one.  tgt [t, n, d-model], memory [s, n, d-model] ->
  like tgt.

  The copies begin with equal parameters, as in PyTorch.  A call may have the
  keywords of transformer-decoder-layer.  ((transformer-decoder layer 6) x
  memory) applies it to a tensor."
  ((layers (%layer-copies "transformer-decoder" decoder-layer num-layers))
   (norm norm))
  (forward (tgt memory :tgt-mask #f :memory-mask #f :tgt-key-padding-mask #f
                :memory-key-padding-mask #f :tgt-is-causal #f
                :memory-is-causal #f)
    (let loop ((left layers) (x tgt))
      (cond ((pair? left)
             (loop (cdr left)
                   ((car left) x memory :tgt-mask tgt-mask
                               :memory-mask memory-mask
                               :tgt-key-padding-mask tgt-key-padding-mask
                               :memory-key-padding-mask memory-key-padding-mask
                               :tgt-is-causal tgt-is-causal
                               :memory-is-causal memory-is-causal)))
            (norm (norm x))
            (else x)))))

(define-module (transformer-model :d-model 512 :nhead 8
                                  :num-encoder-layers 6 :num-decoder-layers 6
                                  :dim-feedforward 2048 :dropout 0.1
                                  :activation "relu" :layer-norm-eps 1e-5
                                  :batch-first #f :norm-first #f :bias #t)
  "An encoder and a decoder.  src [s, n, d-model], tgt [t, n, d-model] -> like
  tgt.

  The arguments are those of transformer-encoder-layer.  A call may have
  :src-mask, :src-key-padding-mask, :src-is-causal, and the keywords of
  transformer-decoder-layer.  ((transformer-model) source target) applies it to
  a tensor."
  ((encoder (transformer-encoder
             (transformer-encoder-layer
              d-model nhead :dim-feedforward dim-feedforward :dropout dropout
              :activation activation :layer-norm-eps layer-norm-eps
              :batch-first batch-first :norm-first norm-first :bias bias)
             num-encoder-layers
             :norm (layer-norm d-model :eps layer-norm-eps :bias bias)))
   (decoder (transformer-decoder
             (transformer-decoder-layer
              d-model nhead :dim-feedforward dim-feedforward :dropout dropout
              :activation activation :layer-norm-eps layer-norm-eps
              :batch-first batch-first :norm-first norm-first :bias bias)
             num-decoder-layers
             :norm (layer-norm d-model :eps layer-norm-eps :bias bias)))
   (initialised (%draw-matrices! (list encoder decoder))))
  (forward (src tgt :src-mask #f :tgt-mask #f :memory-mask #f
                :src-key-padding-mask #f :tgt-key-padding-mask #f
                :memory-key-padding-mask #f :src-is-causal #f
                :tgt-is-causal #f :memory-is-causal #f)
    (decoder tgt
             (encoder src :mask src-mask
                      :src-key-padding-mask src-key-padding-mask
                      :is-causal src-is-causal)
             :tgt-mask tgt-mask :memory-mask memory-mask
             :tgt-key-padding-mask tgt-key-padding-mask
             :memory-key-padding-mask memory-key-padding-mask
             :tgt-is-causal tgt-is-causal
             :memory-is-causal memory-is-causal)))

(define (%draw-matrices! models)
  "Give the matrices of the models the initial values of a transformer."
  (for-each (lambda (x)
              (when (> (tensor-rank x) 1) (tensor-xavier-uniform! x)))
            (append-map parameters models))
  #t)

;; Language models.

(define-module (transformer-block width num-heads :num-kv-heads #f :hidden #f
                                  :dropout 0.0 :activation "gelu" :eps 1e-5
                                  :bias #t :is-causal #t)
  "A block of a language model, as in GPT-2: x + attention(norm1(x)), then x +
  down(activation(up(norm2(x)))).  x [n, t, width] -> the same shape.

  The attention is grouped-query-attention.  hidden, the size between the
  layers up and down, is 4 width unless given; activation is \"gelu\",
  \"relu\" or a procedure.  dropout is that after each half, and of the
  attention.  A call may have a :mask, as for grouped-query-attention.
  ((transformer-block 8 2) x) applies it to a tensor."
  ((norm1 (layer-norm width :eps eps :bias bias))
   (attention (grouped-query-attention width num-heads
                                       :num-kv-heads num-kv-heads :bias bias
                                       :dropout dropout :is-causal is-causal))
   (norm2 (layer-norm width :eps eps :bias bias))
   (up (linear width (or hidden (* 4 width)) :bias bias))
   (down (linear (or hidden (* 4 width)) width :bias bias))
   (dropout (%rate "transformer-block" "dropout" dropout))
   (activation (%activation "transformer-block" activation)))
  (forward (x :mask #f)
    (let* ((train (training? self))
           (x (+ x (%drop (attention (norm1 x) :mask mask) dropout train))))
      (+ x (%drop (down (activation (up (norm2 x)))) dropout train)))))

(define (causal-mask size :device #f)
  "The mask [size, size] to add to scores that hides the positions after each:
  minus infinity above the diagonal, zeros elsewhere."
  (tensor-triu (tensor-full (list size size) -inf.0 :device device) 1))
