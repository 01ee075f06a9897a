;; attention.lisp - scaled dot-product attention (Vaswani et al. 2017) of
;; queries, keys and values.
;;
;; Queries are [n, heads, t, d], keys and values [n, kv-heads, s, d], where
;; kv-heads divides heads: a group of query heads shares one of keys (Ainslie et
;; al. 2023).  The queries are the last t positions of the s keys.

(define (attention q k v :causal #f :mask #f :scale #f :dropout 0.0
                   :training #f :window #f :softcap #f)
  "softmax(q k' scale) v.  q [n, heads, t, d], k and v [n, kv-heads, s, d] ->
  [n, heads, t, d]; kv-heads divides heads.

  causal: a query sees no keys after it, where the queries are the last t
  positions of the keys.  window: and only that many keys, its own included.
  mask, of a shape that broadcasts with [n, heads, t, s]: a boolean element says
  what a query sees, other elements are added to the scores.  scale is 1 /
  sqrt(d) unless given.  dropout, of the weights, acts with :training #t only.
  softcap c: scores x become c tanh(x / c), as in Gemma 2.

  Without a softcap, LibTorch's fused kernel computes it, without the matrix of
  scores in memory."
  (%check-attention "attention" q k v)
  (let ((p (if training (%rate "attention" "dropout" dropout) 0.0)))
    (if softcap
        (%weigh-values (%dropped (attention-weights q k :causal causal
                                                    :mask mask :scale scale
                                                    :window window
                                                    :softcap softcap)
                                 p)
                       v)
        (%fused-attention q k v
                          (%joined-masks mask
                                         (%seen-mask q k causal window #t))
                          p scale))))

(define (attention-weights q k :causal #f :mask #f :scale #f :window #f
                           :softcap #f)
  "The weights with which attention adds values: [n, heads, t, s], each row
  adds up to 1, or is zero if all of it is masked.  The arguments are those of
  attention."
  (%check-attention "attention-weights" q k k)
  (let* ((scores (%scores q k (or scale (%usual-scale q))))
         (scores (if softcap
                     (* softcap (tensor-tanh (/ scores softcap)))
                     scores))
         (scores (%masked-scores scores mask))
         (scores (%masked-scores scores (%seen-mask q k causal window #f))))
    (tensor-to (%attention-shares scores (or (tensor? mask) causal window)
                                  'float32)
               (tensor-dtype q))))

(define (%usual-scale q)
  (/ (sqrt (inexact (tensor-size q -1)))))

(define (%check-attention who q k v)
  "Raise an error unless the shapes fit."
  (for-each (lambda (name x)
              (unless (and (tensor? x) (= (tensor-rank x) 4))
                (wrong-type who (string "a tensor [n, heads, t, d] for " name)
                            (if (tensor? x) (tensor-shape x) x))))
            '("q" "k" "v") (list q k v))
  (unless (and (= (tensor-size q 0) (tensor-size k 0) (tensor-size v 0))
               (= (tensor-size q 3) (tensor-size k 3))
               (= (tensor-size k 1) (tensor-size v 1))
               (= (tensor-size k 2) (tensor-size v 2))
               (> (tensor-size k 1) 0)
               (zero? (remainder (tensor-size q 1) (tensor-size k 1))))
    (%error-with-hint
     (format "~a: q ~a, k ~a and v ~a do not fit" who (tensor-shape q)
             (tensor-shape k) (tensor-shape v))
     '()
     "q is [n, heads, t, d], k and v are [n, kv-heads, s, d], and kv-heads \
divides heads")))

(define (%fused-attention q k v mask p scale)
  "LibTorch's attention.  mask: a tensor, causal, or #f."
  (tensor-scaled-dot-product-attention
   q k v (and (tensor? mask) mask) p (eq? mask 'causal) :scale scale
   :enable-gqa (not (= (tensor-size q 1) (tensor-size k 1)))))

;; Scores in memory.

(define (%scores q k scale)
  "The products of queries and keys [n, heads, t, s]."
  (tensor-matmul (* q scale)
                 (tensor-transpose (%for-each-head k (tensor-size q 1)) -2 -1)))

(define (%weigh-values weights v)
  "The sums of values [n, heads, t, d] with weights [n, heads, t, s]."
  (tensor-matmul weights (%for-each-head v (tensor-size weights 1))))

(define (%for-each-head x heads)
  "Keys or values [n, kv-heads, s, d] for all heads [n, heads, s, d]."
  (let ((groups (quotient heads (tensor-size x 1))))
    (if (= groups 1) x (tensor-repeat-interleave x groups 1))))

(define (%dropped weights p)
  (if (> p 0) (tensor-dropout weights p #t) weights))

(define (%masked-scores scores mask)
  "The scores after a mask: #f, booleans of what is seen, or what is added."
  (cond ((not (tensor? mask)) scores)
        ((eq? (tensor-dtype mask) 'bool)
         (tensor-masked-fill scores (tensor-logical-not mask) %least-score))
        (else (+ scores mask))))

;; Its weight is zero, also in a row of such, as in LibTorch's kernel.
(define %least-score -inf.0)

;; Masks.

(define (%seen-mask q k causal window fused)
  "What queries see: #f for all, a mask [t, s], or causal, which the fused
  kernel knows for as many queries as keys."
  (let ((t (tensor-size q 2)) (s (tensor-size k 2)))
    (when window (%positive "attention" "window" window))
    (cond ((not (or causal window)) #f)
          ((and (= t 1) (or (not window) (<= s window))) #f)
          ((and fused (= t s) (or (not window) (<= t window))) 'causal)
          (else (%position-mask (- s t) t s window (tensor-device q))))))

(define (%position-mask before t s window device)
  "The mask [t, s] of what queries from position `before` see of keys from
  position 0."
  (let* ((distance (- (tensor-unsqueeze (tensor-arange before (+ before t)
                                                       :device device)
                                        1)
                      (tensor-arange s :device device)))
         (seen (tensor-ge distance 0)))
    (if window
        (tensor-logical-and seen (tensor-lt distance window))
        seen)))

(define (%joined-masks mask seen)
  "Both masks as one."
  (cond ((not (tensor? mask)) seen)
        ((eq? seen #f) mask)
        ((eq? (tensor-dtype mask) 'bool)
         (tensor-logical-and mask (%seen-tensor mask seen)))
        (else (tensor-masked-fill
               mask (tensor-logical-not (%seen-tensor mask seen))
               (- +inf.0)))))

(define (%seen-tensor mask seen)
  "A mask of positions as a tensor, of the last two sizes of another mask."
  (if (tensor? seen)
      seen
      (let ((s (tensor-size mask -1)))
        (%position-mask 0 s s #f (tensor-device mask)))))
