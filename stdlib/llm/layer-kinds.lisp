;; layer-kinds.lisp - other layers than decoder-layer, and other norms than
;; llm-norm, that several architectures have.
;;
;;     x + attend(norm x)             decoder-layer, before attention and MLP
;;     x + norm(attend(x))            post-norm-layer, after them
;;     x + norm(attend(norm x))       sandwich-layer, on both sides

(define-module (sandwich-layer input-layernorm self-attn
                               post-attention-layernorm
                               pre-feedforward-layernorm mlp
                               post-feedforward-layernorm)
  "A layer with norms before and after attention and MLP, as in Gemma 2 and
  GLM 4.  x [n, t, width] -> the same shape."
  ((input-layernorm input-layernorm)
   (self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (pre-feedforward-layernorm pre-feedforward-layernorm)
   (mlp mlp)
   (post-feedforward-layernorm post-feedforward-layernorm))
  (forward (x step)
    (let ((x (+ x (post-attention-layernorm
                   (self-attn (input-layernorm x) step)))))
      (+ x (post-feedforward-layernorm
            (mlp (pre-feedforward-layernorm x)))))))

(define (%sandwich norm attention mlp)
  "The sandwich-layer of llama-like."
  (sandwich-layer (norm) attention (norm) (norm) mlp (norm)))

(define-module (post-norm-layer self-attn post-attention-layernorm mlp
                                post-feedforward-layernorm)
  "A layer with norms after attention and MLP, as in OLMo 2.  x [n, t, width] ->
  the same shape."
  ((self-attn self-attn)
   (post-attention-layernorm post-attention-layernorm)
   (mlp mlp)
   (post-feedforward-layernorm post-feedforward-layernorm))
  (forward (x step)
    (let ((x (+ x (post-attention-layernorm (self-attn x step)))))
      (+ x (post-feedforward-layernorm (mlp x))))))

(define (%post-norm norm attention mlp)
  "The post-norm-layer of llama-like."
  (post-norm-layer attention (norm) mlp (norm)))

;; Norms.

(define-module (all-heads-norm size :eps 1e-6)
  "The norm of llm-norm over all heads of queries or keys at once.  x [n, heads,
  t, d] -> the same shape; size is heads times d."
  ((eps eps)
   (weight (tensor-ones (list size)) :parameter))
  (forward (x)
    (let ((heads (tensor-transpose x 1 2)))                  ; [n, t, heads, d]
      (tensor-transpose
       (tensor-reshape (tensor-fused-rms-norm (tensor-flatten heads 2) weight
                                              eps 0.0)
                       (tensor-shape heads))
       1 2))))

(define-module (each-head-norm heads size :eps 1e-5)
  "A layer norm of queries or keys with a weight for each head, and no bias.  x
  [n, heads, t, size] -> the same shape."
  ((size size)
   (eps eps)
   (weight (tensor-ones (list heads size)) :parameter))
  (forward (x) (%weighted-heads x size eps weight)))

(define (%weighted-heads x size eps weight)
  "The layer norm of heads [n, heads, t, size] times weight [heads, size]."
  (tensor-to (* (tensor-layer-norm (tensor-to x 'float32) (list size) :eps eps)
                (tensor-unsqueeze (tensor-to weight 'float32) 1))
             (tensor-dtype x)))

(define-module (offset-layer-norm size :eps 1e-5)
  "The layer norm whose weight has 1 added to it, as in Nemotron.  x [..., size]
  -> the same shape."
  ((size size)
   (eps eps)
   (weight (tensor-zeros (list size)) :parameter)
   (bias (tensor-zeros (list size)) :parameter))
  (forward (x) (tensor-layer-norm x (list size) (+ weight 1.0) bias eps)))

;; Types of layers.

(define (%with-layer-types config pattern)
  "Settings that name the type of each layer: where files do not, every layer
  has a window but each pattern-th."
  (if (pair? (%config-list config "layer_types" string? "a list of strings"))
      config
      (let ((named (hash-copy config)))
        (hash-set! named "layer_types"
                   (map (lambda (k)
                          (if (zero? (remainder (+ k 1) pattern))
                              "full_attention"
                              "sliding_attention"))
                        (range (%config-size config "num_hidden_layers"))))
        named)))

(define (%sliding-layer? config layer)
  "Whether the type of a layer is that of those with a window."
  (let* ((types (config-ref config "layer_types"))
         (type (and (< layer (length types)) (list-ref types layer))))
    (unless (member type '("full_attention" "sliding_attention"))
      (%bad-setting "layer_types"
                    "\"full_attention\" or \"sliding_attention\" for each layer"
                    types))
    (equal? type "sliding_attention")))
