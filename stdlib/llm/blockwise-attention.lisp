;; blockwise-attention.lisp - attention in blocks of queries and keys, whose
;; memory grows with the length and not with its square (Rabe and Staats 2021).
;;
;; A block of queries meets the blocks of keys in turn.  What it has seen so far
;; is its largest score, and the sums of weights and of weighted values relative
;; to that; a larger score rescales the sums (Milakov and Gimelshein 2018).
;;
;;     best' = max(best, scores)     w = exp(scores - best')
;;     sums' = sums exp(best - best') + w values

(define (blockwise-attention q k v :causal #f :mask #f :scale #f :window #f
                             :softcap #f :block 256)
  "What attention returns, computed from blocks of queries and keys, so that no
  matrix of all scores exists.  The arguments are those of attention; block is
  how many queries or keys a block has.

  The backward pass computes each block of queries again, so training takes
  little memory too."
  (%check-attention "blockwise-attention" q k v)
  (%positive "blockwise-attention" "block" block)
  (let ((t (tensor-size q 2))
        (scale (or scale (%usual-scale q)))
        (before (- (tensor-size k 2) (tensor-size q 2))))
    (tensor-cat
     (map (lambda (start)
            (let ((size (min block (- t start))))
              (recompute %attend-in-blocks
                         (tensor-narrow q 2 start size) k v
                         (and (tensor? mask) (%mask-part mask -2 start size))
                         scale softcap block (+ before start)
                         (or causal (and window #t)) window)))
          (range 0 (max t 1) block))
     2)))

(define (%mask-part mask dim start size)
  "The part of a mask for some queries or keys; one element is for all."
  (if (= (tensor-size mask dim) 1)
      mask
      (tensor-narrow mask dim start size)))

(define (%attend-in-blocks q k v mask scale softcap block before causal window)
  "Attention of one block of queries, from position `before`, to all keys."
  (let* ((t (tensor-size q 2))
         (end (if causal
                  (min (tensor-size k 2) (+ before t))
                  (tensor-size k 2)))
         (first (if window (max 0 (+ 1 (- before window))) 0))
         (start (* block (quotient first block)))
         (queries (* (tensor-to q 'float32) scale)))
    (let loop ((start start) (seen #f))
      (if (>= start end)
          (%seen-values seen q v)
          (let ((size (min block (- end start))))
            (loop (+ start size)
                  (%see-block queries
                              (tensor-narrow k 2 start size)
                              (tensor-narrow v 2 start size)
                              (and (tensor? mask)
                                   (%mask-part mask -1 start size))
                              softcap
                              (and causal
                                   (%position-mask (- before start) t size
                                                   window (tensor-device q)))
                              seen)))))))

(define (%see-block queries k v mask softcap positions seen)
  "What a block of queries has seen after one more block of keys: a list of the
  best score, the sum of weights, both [n, heads, t, 1], and that of values."
  (let* ((scores (%block-scores queries k mask softcap positions))
         (here (tensor-amax scores -1 #t))
         (best (if seen (tensor-maximum (car seen) here) here))
         (base (tensor-masked-fill best (tensor-isneginf best) 0.0))
         (weights (tensor-exp (- scores base)))
         (total (tensor-sum weights -1 #t))
         (values (%weigh-values weights (tensor-to v 'float32))))
    (if seen
        (let ((shrink (tensor-exp (- (car seen) base))))
          (list best
                (+ total (* shrink (cadr seen)))
                (+ values (* shrink (caddr seen)))))
        (list best total values))))

(define (%block-scores queries k mask softcap positions)
  (let* ((scores (%scores queries (tensor-to k 'float32) 1.0))
         (scores (if softcap
                     (* softcap (tensor-tanh (/ scores softcap)))
                     scores)))
    (%masked-scores (%masked-scores scores mask) positions)))

(define (%seen-values seen q v)
  "The result of a block of queries."
  (if seen
      (tensor-to (/ (caddr seen)
                    (tensor-masked-fill (cadr seen) (tensor-eq (cadr seen) 0)
                                        1.0))
                 (tensor-dtype q))
      (tensor-zeros (list (tensor-size q 0) (tensor-size q 1)
                          (tensor-size q 2) (tensor-size v 3))
                    :dtype (tensor-dtype q) :device (tensor-device q))))
