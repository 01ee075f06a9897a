;; latent-attention.lisp - attention whose keys and values of all heads follow
;; from one small vector for each token, its latent (DeepSeek-AI 2024).
;;
;; A cache keeps latents and the rotated features that all heads share, [n, 1,
;; t, rank + rotated].  Short calls multiply queries by the matrix that expands
;; latents to keys, and attend to latents; long ones, and those without a cache,
;; expand keys and values, which takes fewer products.

(define-module (latent-attention width heads rank :q-rank #f :plain 128
                                 :rotated 64 :value-dim 128 :layer 0 :bias #f
                                 :eps 1e-6 :scale #f :dropout 0.0)
  "Attention to latents.  x [n, t, width] -> the same shape.

  rank: the size of a latent; q-rank: that of queries, or #f for none.  plain
  and rotated: how many features of a head are not rotated, and are.  value-dim:
  the size of a value.  bias: of the projections of width."
  ((heads heads)
   (rank rank)
   (plain plain)
   (rotated rotated)
   (value-dim value-dim)
   (layer layer)
   (scale (or scale (/ (sqrt (inexact (+ plain rotated))))))
   (dropout (%rate "latent-attention" "dropout" dropout))
   (q-proj (and (not q-rank)
                (blank-linear width (* heads (+ plain rotated)))))
   (q-a-proj (and q-rank (blank-linear width q-rank :bias bias)))
   (q-a-layernorm (and q-rank (llm-norm q-rank :eps eps)))
   (q-b-proj (and q-rank (blank-linear q-rank (* heads (+ plain rotated)))))
   (kv-a-proj-with-mqa (blank-linear width (+ rank rotated) :bias bias))
   (kv-a-layernorm (llm-norm rank :eps eps))
   (kv-b-proj (blank-linear rank (* heads (+ plain value-dim))))
   (o-proj (blank-linear (* heads value-dim) width :bias bias)))
  (forward (x step)
    (let* ((tables (%layer-angles step 'model))
           (q (if q-proj (q-proj x) (q-b-proj (q-a-layernorm (q-a-proj x)))))
           (q (tensor-transpose (tensor-unflatten q -1 (list heads -1)) 1 2))
           (q-plain (tensor-narrow q -1 0 plain))
           (q-rotated (%rotated (tensor-narrow q -1 plain rotated) tables))
           (joined (tensor-unsqueeze (kv-a-proj-with-mqa x) 1))
           (latents (tensor-cat
                     (list (kv-a-layernorm (tensor-narrow joined -1 0 rank))
                           (%rotated (tensor-narrow joined -1 rank rotated)
                                     tables))
                     -1))
           (y (%attend-latents self step q-plain q-rotated latents
                               (if (training? self) dropout 0.0))))
      (o-proj (tensor-flatten (tensor-transpose y 1 2) 2 3)))))

(define (%attend-latents self step q-plain q-rotated latents dropout)
  "The attention of a layer [n, heads, t, value-dim]; latents [n, 1, t, rank +
  rotated] of the new tokens go to the cache of the step."
  (let ((cache (%step-cache step))
        (layer (latent-attention-layer self))
        (count (tensor-size latents 2)))
    (cond ((not cache)
           (%attend-expanded self step q-plain q-rotated latents dropout))
          ((%streaming cache)
           (%from-latents
            self
            (%rotated-last
             self
             (%attend-streamed
              step layer (%layer-angles step 'model)
              (%rotated-first self (%latent-queries self q-plain q-rotated))
              (%rotated-first self latents) #f
              :scale (latent-attention-scale self)))))
          ((%paged-batch? cache)
           (%from-latents
            self
            (%attend-paged step cache layer #f (latent-attention-scale self) 0.0
                           (%latent-queries self q-plain q-rotated)
                           latents latents)))
          (else
           (let*-values (((window) (%cache-window cache))
                         ((parts length first)
                          (%cache-append! cache layer window (list latents))))
             (if (and (> count %few-latents) (not window))
                 (%attend-expanded self step q-plain q-rotated
                                   (tensor-narrow (car parts) 2 0 length) 0.0)
                 (%from-latents
                  self
                  (%attend-to step layer window (latent-attention-scale self)
                              0.0 (%latent-queries self q-plain q-rotated)
                              (car parts) (car parts) length first))))))))

;; As many queries at most attend to latents; more pay for expanding them.
(define %few-latents 16)

(define (%rotated-first self x)
  "x [n, heads, t, rank + rotated] with the features that are rotated before the
  others, where a rotation finds them."
  (tensor-roll x (latent-attention-rotated self) -1))

(define (%rotated-last self x)
  "The other way round."
  (tensor-roll x (- (latent-attention-rotated self)) -1))

(define (%attend-expanded self step q-plain q-rotated latents dropout)
  "Attention to the keys and values of all heads, which follow from latents [n,
  1, s, rank + rotated]."
  (let* ((heads (latent-attention-heads self))
         (rank (latent-attention-rank self))
         (plain (latent-attention-plain self))
         (s (tensor-size latents 2))
         (t (tensor-size q-plain 2))
         (kv ((latent-attention-kv-b-proj self)
              (tensor-select (tensor-narrow latents -1 0 rank) 1 0)))
         (kv (tensor-transpose (tensor-unflatten kv -1 (list heads -1)) 1 2))
         (k-rotated (tensor-narrow latents -1 rank
                                   (latent-attention-rotated self)))
         (k (tensor-cat (list (tensor-narrow kv -1 0 plain)
                              (tensor-expand k-rotated
                                             (list -1 heads -1 -1)))
                        -1))
         (q (tensor-cat (list q-plain q-rotated) -1))
         (scale (latent-attention-scale self))
         (padding (%step-padding step))
         (mask (and padding
                    (tensor-narrow (%real-keys padding s) 2 (- s t) t))))
    (when (eqv? (latent-attention-layer self) (%step-watched step))
      (%set-step-weights! step (attention-weights q k :causal #t :mask mask
                                                  :scale scale)))
    (attention q k (tensor-narrow kv -1 plain (latent-attention-value-dim self))
               :causal #t :mask mask :scale scale :dropout dropout
               :training #t)))

(define (%latent-matrices self)
  "The matrix that expands latents, by heads: [heads, plain + value-dim, rank]."
  (let ((layer (latent-attention-kv-b-proj self)))
    (tensor-unflatten (if (linear? layer)
                          (linear-weight layer)
                          (tensor-to (dequantized layer)
                                     (tensor-dtype (%latent-norm-weight self))))
                      0 (list (latent-attention-heads self) -1))))

(define (%latent-norm-weight self)
  (llm-norm-weight (latent-attention-kv-a-layernorm self)))

(define (%latent-queries self q-plain q-rotated)
  "Queries for latents, [n, heads, t, rank + rotated]."
  (tensor-cat
   (list (tensor-matmul q-plain
                        (tensor-narrow (%latent-matrices self) 1 0
                                       (latent-attention-plain self)))
         q-rotated)
   -1))

(define (%from-latents self y)
  "The values [n, heads, t, value-dim] for sums of latents [n, heads, t, rank +
  rotated]."
  (tensor-matmul (tensor-narrow y -1 0 (latent-attention-rank self))
                 (tensor-transpose
                  (tensor-narrow (%latent-matrices self) 1
                                 (latent-attention-plain self)
                                 (latent-attention-value-dim self))
                  1 2)))
