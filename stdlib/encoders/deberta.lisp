;; deberta.lisp - DeBERTa v2 and v3 (He et al. 2021): attention whose scores are
;; sums over contents and distances, each with projections of their own.
;;
;; A score of tokens i and j is content to content, plus the query of i with the
;; vector of the distance from i to j (c2p), plus the key of j with that of the
;; distance from j to i (p2c).

(define-record-type %distances
  (%make-distances mask vectors forth back)
  %distances?
  (mask %distances-mask)                         ; bool [n, 1, 1, t], or #f
  (vectors %distances-vectors)                   ; [2 span, width], or #f
  (forth %distances-forth)                       ; rows of vectors: [1, 1, t, t]
  (back %distances-back))

(define-module (distance-vectors span buckets limit width norm)
  "The relation of DeBERTa's layers.  span: the largest distance that has a
  vector; buckets: whether far distances up to limit share vectors.  norm: a
  module for the vectors, or #f."
  ((span span)
   (buckets buckets)
   (limit limit)
   (table (blank-embedding (* 2 span) width))
   (norm norm))
  (forward (x mask)
    (let* ((places (tensor-arange (tensor-size x 1) :device (tensor-device x)))
           (distance (- (tensor-unsqueeze places 1) places))
           (distance (if buckets (%log-buckets distance span limit) distance))
           (rows (lambda (distance)
                   (tensor-unsqueeze
                    (tensor-unsqueeze
                     (tensor-clamp (+ distance span) 0 (- (* 2 span) 1)) 0)
                    0))))
      (%make-distances (%key-mask mask)
                       (if norm
                           (norm (embedding-weight table))
                           (embedding-weight table))
                       (rows distance) (rows (- distance))))))

(define (%log-buckets distance buckets limit)
  "Distances int64, of which those beyond half of the buckets share some in
  logarithmic steps up to the limit."
  (let* ((middle (quotient buckets 2))
         (size (tensor-to (tensor-clamp-min (tensor-abs distance) (- middle 1))
                          'float32))
         (far (+ (tensor-ceil
                  (* (/ (tensor-log (/ size middle))
                        (tensor-log (/ (tensor (- limit 1.0)) middle)))
                     (- middle 1)))
                 middle)))
    (tensor-where (tensor-le (tensor-abs distance) middle)
                  distance
                  (tensor-to (* far (tensor-sign distance)) 'int64))))

(define-module (disentangled-attention width heads parts shared
                                       :drop-rate 0.0 :vector-drop 0.0)
  "Attention of DeBERTa.  x [n, t, width] and %distances -> the same shape.
  parts: which of c2p and p2c scores have.  shared: whether vectors of distances
  go through the projections of tokens."
  ((heads heads)
   (parts parts)
   (query (blank-linear width width :bias #t))
   (key (blank-linear width width :bias #t))
   (value (blank-linear width width :bias #t))
   (distance-key (and (memq 'c2p parts) (not shared)
                      (blank-linear width width :bias #t)))
   (distance-query (and (memq 'p2c parts) (not shared)
                        (blank-linear width width :bias #t)))
   (out (blank-linear width width :bias #t))
   (scale (/ (sqrt (* (inexact (quotient width heads))
                      (+ 1 (length parts))))))
   (vector-dropout (dropout :p vector-drop))
   (dropout (dropout :p drop-rate)))
  (forward (x distances)
    (let* ((q (%heads-apart (query x) heads))
           (k (%heads-apart (key x) heads))
           (scores (tensor-matmul q (* scale (tensor-transpose k 2 3))))
           (scores (if (null? parts)
                       scores
                       (+ scores
                          (%distance-terms self q k scale distances))))
           (mask (%distances-mask distances))
           (scores (if (tensor? mask)
                       (tensor-masked-fill scores (tensor-logical-not mask)
                                           (%lowest-score scores))
                       scores)))
      (out (%heads-joined
            (tensor-matmul (dropout (tensor-softmax scores -1))
                           (%heads-apart (value x) heads)))))))

(define (%lowest-score scores)
  "What stands for masked scores: finite, so that a row of padding is a number."
  (if (eq? (tensor-dtype scores) 'float16) -65504.0 -3.3e38))

(define (%distance-terms attention q k scale distances)
  "What distances add to scores: [n, heads, t, t]."
  (let* ((parts (disentangled-attention-parts attention))
         (heads (disentangled-attention-heads attention))
         (vectors ((disentangled-attention-vector-dropout attention)
                   (tensor-unsqueeze (%distances-vectors distances) 0)))
         (projected (lambda (own tokens)
                      (tensor-transpose
                       (%heads-apart ((or own tokens) vectors) heads)
                       2 3)))                     ; [1, heads, d, 2 span]
         (picked (lambda (scores rows)
                   (tensor-gather scores -1
                                  (tensor-expand rows
                                                 (append
                                                  (take (tensor-shape scores) 3)
                                                  (list -1))))))
         (c2p (lambda ()
                (picked (tensor-matmul
                         q (projected
                            (disentangled-attention-distance-key attention)
                            (disentangled-attention-key attention)))
                        (%distances-forth distances))))
         (p2c (lambda ()
                (tensor-transpose
                 (picked (tensor-matmul
                          k (projected
                             (disentangled-attention-distance-query attention)
                             (disentangled-attention-query attention)))
                         (%distances-back distances))
                 2 3))))
    (* scale
       (apply + (map (lambda (part) (if (eq? part 'c2p) (c2p) (p2c)))
                     parts)))))
