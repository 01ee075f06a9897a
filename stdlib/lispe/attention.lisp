;; attention.lisp - LispETorch's flash attention: without the matrix of scores
;; in memory, by LibTorch's fused kernel.

(define-module (%flash width heads :dropout 0.0 :bias #t)
  "Attention of several heads with four projections.  query, key and value are
  [n, t, width]."
  ((width width)
   (heads heads)
   (dropout dropout)
   (bias (and bias #t))
   (q-proj (linear width width :bias bias))
   (k-proj (linear width width :bias bias))
   (v-proj (linear width width :bias bias))
   (out-proj (linear width width :bias bias)))
  (forward (query key value :mask #f :rate #f)
    (let* ((p (or rate (if (training? self) dropout 0.0)))
           (y (tensor-scaled-dot-product-attention
               (%split-flash (q-proj query) heads)
               (%split-flash (k-proj key) heads)
               (%split-flash (v-proj value) heads)
               mask p)))
      (out-proj (tensor-reshape (tensor-transpose y 1 2)
                                (tensor-shape query))))))

(define (%split-flash x heads)
  "[n, t, width] -> [n, heads, t, width / heads]."
  (tensor-transpose
   (tensor-reshape x (list (tensor-size x 0) (tensor-size x 1) heads
                           (quotient (tensor-size x 2) heads)))
   1 2))

(define (torch_flash_attention_create width heads . options)
  "Attention of several heads; options: dropout (0.0) and bias (true)."
  (unless (zero? (remainder width heads))
    (%fail "torch_flash_attention_create: embed_dim " width
           " is not divisible by num_heads " heads))
  (%flash width heads :dropout (%option options 0 0.0)
          :bias (or (< (length options) 2) (%true? (cadr options)))))

(define (%flash-text x)
  (string "Flash Attention (embed_dim=" (%flash-width x)
          ", num_heads=" (%flash-head-count x)
          ", head_dim=" (quotient (%flash-width x) (%flash-head-count x))
          ", dropout=" (%number-text (%flash-dropout x))
          ", bias=" (%written (%flash-bias x)) ")"))

(define (%flash-head-count x) (record-ref x 'heads))

(define (torch_flash_attention_forward attention query key value)
  "The output of attention for query, key and value."
  (attention query key value))

(define (torch_flash_attention_with_mask attention query key value mask)
  "The same with a mask that broadcasts to [n, heads, t, s]: a boolean one is
  true where keys are seen, another one is added to the scores."
  (attention query key value :mask mask))

(define (torch_flash_attention_with_dropout attention query key value p training)
  "The same with a rate of dropout, in training only."
  (attention query key value :rate (if (%true? training) (inexact p) 0.0)))

(define (torch_flash_attention query key value . options)
  "Attention of [n, heads, t, d]; options: the scale (1 / sqrt(d)) and the size
  of blocks, with which rows of queries are computed one block at a time."
  (let ((scale (%option options 0 #f)) (block (%option options 1 #f)))
    (if block
        (tensor-cat (map (lambda (part)
                           (tensor-scaled-dot-product-attention
                            part key value :scale scale))
                         (tensor-split query block 2))
                    2)
        (tensor-scaled-dot-product-attention query key value :scale scale))))

(define (torch_scaled_dot_product_attention query key value . options)
  "Attention of [n, heads, t, d]; options: mask (nil), dropout (0.0), whether it
  is causal, and the scale."
  (tensor-scaled-dot-product-attention
   query key value (%option options 0 #f) (inexact (%option options 1 0.0))
   (and (> (length options) 2) (%true? (list-ref options 2)))
   :scale (%option options 3 #f)))
