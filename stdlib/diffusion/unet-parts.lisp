;; unet-parts.lisp - what the networks of Stable Diffusion consist of (Rombach et
;; al. 2022).  Parts have the names that diffusers' files have.

(define-module (time-conditioned-block in out groups eps time-width)
  "Two convolutions whose result is added to what came in: x [n, in, h, w], time
  [n, time-width] or #f -> [n, out, h, w].  time-width: #f for a block that sees
  no time."
  ((norm1 (group-norm groups in :eps eps))
   (conv1 (blank-conv2d in out 3 :padding 1))
   (time-emb-proj (and time-width (blank-linear time-width out :bias #t)))
   (norm2 (group-norm groups out :eps eps))
   (conv2 (blank-conv2d out out 3 :padding 1))
   (conv-shortcut (and (not (= in out)) (blank-conv2d in out 1))))
  (forward (x time)
    (let* ((y (conv1 (tensor-silu (norm1 x))))
           (y (if time-emb-proj
                  (+ y (tensor-reshape (time-emb-proj (tensor-silu time))
                                       (list (tensor-size x 0) -1 1 1)))
                  y))
           (y (conv2 (tensor-silu (norm2 y)))))
      (+ (if conv-shortcut (conv-shortcut x) x) y))))

(define-module (projected-attention width context heads :bias #f)
  "Attention of x [n, t, width] to given [n, s, context] -> [n, t, width].  bias:
  of the queries, keys and values."
  ((heads heads)
   (to-q (blank-linear width width :bias bias))
   (to-k (blank-linear context width :bias bias))
   (to-v (blank-linear context width :bias bias))
   (to-out (list (blank-linear width width :bias #t))))
  (forward (x given)
    (let* ((split (lambda (y)
                    (tensor-transpose
                     (tensor-unflatten y 2 (list heads -1)) 1 2)))
           (y (tensor-scaled-dot-product-attention
               (split (to-q x)) (split (to-k given)) (split (to-v given)))))
      ((car to-out) (tensor-flatten (tensor-transpose y 1 2) 2)))))

(define-module (gelu-gate in out)
  "Half of a projection, multiplied by GELU of the other half: x [..., in] ->
  [..., out] (Shazeer 2020)."
  ((proj (blank-linear in (* 2 out) :bias #t)))
  (forward (x)
    (let ((halves (tensor-chunk (proj x) 2 -1)))
      (* (car halves) (tensor-gelu (cadr halves))))))

(define-module (geglu-mlp width)
  "Two layers, the inner one four times as wide and gated: x [n, t, width] -> the
  same shape."
  ((net (list (gelu-gate width (* 4 width)) (dropout :p 0.0)
              (blank-linear (* 4 width) width :bias #t))))
  (forward (x) (fold (lambda (layer x) (layer x)) x net)))

(define-module (text-guided-layer width context heads)
  "Attention within x [n, t, width], attention to a text [n, s, context], and an
  MLP, each added to what came in."
  ((norm1 (layer-norm width))
   (attn1 (projected-attention width width heads))
   (norm2 (layer-norm width))
   (attn2 (projected-attention width context heads))
   (norm3 (layer-norm width))
   (ff (geglu-mlp width)))
  (forward (x text)
    (let* ((y (norm1 x))
           (x (+ x (attn1 y y)))
           (x (+ x (attn2 (norm2 x) text))))
      (+ x (ff (norm3 x))))))

(define-module (text-guided-block width context heads depth groups linear?)
  "Layers that see an image as a row of its places, and a text: x [n, width, h,
  w], text [n, s, context] -> the shape of x.  linear?: whether the projections
  around them are linear layers, not convolutions of size 1."
  ((linear? linear?)
   (norm (group-norm groups width :eps 1e-6))
   (proj-in (if linear? (blank-linear width width :bias #t)
                (blank-conv2d width width 1)))
   (transformer-blocks (map (lambda (k)
                              (text-guided-layer width context heads))
                            (range depth)))
   (proj-out (if linear? (blank-linear width width :bias #t)
                 (blank-conv2d width width 1))))
  (forward (x text)
    (let* ((size (cddr (tensor-shape x)))
           (row (lambda (y) (tensor-transpose (tensor-flatten y 2) 1 2)))
           (image (lambda (y)
                    (tensor-unflatten (tensor-transpose y 1 2) 2 size)))
           (y (norm x))
           (y (if linear? (proj-in (row y)) (row (proj-in y))))
           (y (fold (lambda (layer y) (layer y text)) y transformer-blocks)))
      (+ x (if linear? (image (proj-out y)) (proj-out (image y)))))))

(define-module (halved-image width :padding 1)
  "Half as many rows and columns: x [n, width, h, w] -> [n, width, h / 2, w / 2].
  padding: 0 for a column and a row of zeros at the end only."
  ((padding padding)
   (conv (blank-conv2d width width 3 :stride 2 :padding padding)))
  (forward (x)
    (conv (if (= padding 0) (tensor-pad x '(0 1 0 1)) x))))

(define-module (doubled-image width)
  "Twice as many rows and columns: x [n, width, h, w] -> [n, width, 2 h, 2 w]."
  ((conv (blank-conv2d width width 3 :padding 1)))
  (forward (x)
    (conv (tensor-interpolate x (map (lambda (size) (* 2 size))
                                     (cddr (tensor-shape x)))
                              :mode "nearest"))))

(define-module (time-mlp in out)
  "The vector of a time from its waves: x [n, in] -> [n, out]."
  ((linear-1 (blank-linear in out :bias #t))
   (linear-2 (blank-linear out out :bias #t)))
  (forward (x) (linear-2 (tensor-silu (linear-1 x)))))

(define (%time-waves times width cosines-first? shift)
  "Sines and cosines of times [n] with falling frequencies: float32 [n, width]
  (Vaswani et al. 2017)."
  (let* ((half (quotient width 2))
         (rates (tensor-exp (* (tensor-arange half :dtype 'float32
                                              :device (tensor-device times))
                               (/ (- (log 10000.0)) (- half shift)))))
         (angles (* (tensor-unsqueeze (tensor-to times 'float32) 1)
                    (tensor-unsqueeze rates 0)))
         (waves (list (tensor-sin angles) (tensor-cos angles))))
    (tensor-cat (if cosines-first? (reverse waves) waves) -1)))
