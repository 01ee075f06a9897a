;; functional.lisp - functions of torch.nn.functional that take procedures or
;; very many arguments.
;;
;; The others are overloads of operators: `F.interpolate` is
;; tensor-interpolate.

(define (tensor-triplet-margin-with-distance-loss
         anchor positive negative
         :distance-function tensor-pairwise-distance
         :margin 1.0 :swap #f :reduction "mean")
  "By how much the positives are farther from the anchors than the negatives,
  and the margin.  distance-function is called with two tensors."
  (triplet-margin-with-distance-loss anchor positive negative
                                     :distance-function distance-function
                                     :margin margin :swap swap
                                     :reduction reduction))

;; Attention of several heads.

(define (tensor-multi-head-attention-forward
         query key value embed-dim num-heads in-proj-weight in-proj-bias
         bias-k bias-v add-zero-attn dropout-p out-proj-weight out-proj-bias
         :training #t :key-padding-mask #f :need-weights #t :attn-mask #f
         :use-separate-proj-weight #f :q-proj-weight #f :k-proj-weight #f
         :v-proj-weight #f :static-k #f :static-v #f
         :average-attn-weights #t :is-causal #f)
  "The output of the heads, and the weights of the values, or #f.  query [t, n,
  e], key and value [s, n, e] -> ([t, n, e] [n, t, s]); without n for one
  example.  A true element of a boolean mask masks a key out."
  (%check-heads query embed-dim num-heads)
  (let* ((batched (= (tensor-rank query) 3))
         (batch (lambda (x dim) (if (or batched (not (tensor? x)))
                                    x
                                    (tensor-unsqueeze x dim))))
         (weights (if use-separate-proj-weight
                      (list q-proj-weight k-proj-weight v-proj-weight)
                      (tensor-chunk in-proj-weight 3)))
         (biases (if in-proj-bias (tensor-chunk in-proj-bias 3) '(#f #f #f)))
         (projected (map tensor-linear
                         (list (batch query 1) (batch key 1) (batch value 1))
                         weights biases))
         (n (tensor-size (car projected) 1))
         (split (lambda (x) (%by-heads x n num-heads)))
         (q (split (car projected)))              ; [n, heads, t, d]
         (k (%with-further (or (%static static-k n num-heads)
                               (split (%with-row (cadr projected) bias-k n)))
                           add-zero-attn))        ; [n, heads, s, d]
         (v (%with-further (or (%static static-v n num-heads)
                               (split (%with-row (caddr projected) bias-v n)))
                           add-zero-attn))
         (further (+ (if bias-k 1 0) (if add-zero-attn 1 0)))
         (mask (%joint-mask (%padded (batch key-padding-mask 0) further)
                            (%padded attn-mask further)
                            n num-heads (tensor-dtype q)))
         (p (if training dropout-p 0.0))
         (finish (lambda (x)
                   (let ((y (tensor-linear (%joined x) out-proj-weight
                                           out-proj-bias)))
                     (if batched y (tensor-squeeze y 1))))))
    (when (and is-causal (not attn-mask))
      (error (string "tensor-multi-head-attention-forward: :is-causal needs "
                     "the mask as :attn-mask")))
    (if need-weights
        (let* ((scores (tensor-matmul (/ q (sqrt (inexact (tensor-size q 3))))
                                      (tensor-transpose k -2 -1)))
               (given (%attention-shares (if mask (+ scores mask) scores)
                                         (tensor? mask)))
               (given (if (> p 0) (tensor-dropout given p #t) given))
               (shown (if average-attn-weights
                          (tensor-mean given 1)
                          given)))
          (list (finish (tensor-matmul given v))
                (if batched shown (tensor-squeeze shown 0))))
        (list (finish (tensor-scaled-dot-product-attention q k v mask p))
              #f))))

(define (%check-heads query embed-dim num-heads)
  "Raise an error unless the embedding can be split evenly among the heads."
  (unless (memv (tensor-rank query) '(2 3))
    (error (string "tensor-multi-head-attention-forward: expected a query of "
                   "2 or 3 dimensions, got shape")
           (tensor-shape query)))
  (unless (= (tensor-size query -1) embed-dim)
    (error (string "tensor-multi-head-attention-forward: expected a query of "
                   embed-dim " features, got")
           (tensor-size query -1)))
  (unless (zero? (remainder embed-dim num-heads))
    (error (string "tensor-multi-head-attention-forward: " embed-dim
                   " features cannot be shared by this many heads:")
           num-heads)))

(define (%by-heads x n heads)
  "[t, n, e] -> [n, heads, t, d]."
  (tensor-permute (tensor-view (tensor-contiguous x)
                               (list (tensor-size x 0) n heads -1))
                  '(1 2 0 3)))

(define (%joined x)
  "[n, heads, t, d] -> [t, n, e]."
  (tensor-flatten (tensor-permute x '(2 0 1 3)) 2))

(define (%static x n heads)
  "Static keys or values, [n heads, s, d], as [n, heads, s, d]."
  (and x (tensor-unflatten x 0 (list n heads))))

(define (%with-row x row n)
  "x [s, n, e] with a learned row after it, if there is one."
  (if row
      (tensor-cat (list x (tensor-repeat row (list 1 n 1))))
      x))

(define (%with-further x add-zero)
  "x [n, heads, s, d], with a row of zeros if add-zero is true."
  (if add-zero (tensor-pad x '(0 0 0 1)) x))

(define (%padded mask count)
  "The mask, extended by that many keys that it does not mask."
  (if (and (tensor? mask) (> count 0))
      (tensor-pad mask (list 0 count))
      mask))

(define (%joint-mask key-padding mask n heads dtype)
  "The tensor to add to the scores [n, heads, t, s]; #f for none."
  (let* ((padding (and (tensor? key-padding)
                       (tensor-view (%added key-padding dtype)
                                    (list n 1 1 -1))))
         (added (and (tensor? mask) (%added mask dtype)))
         (added (if (and added (= (tensor-rank added) 3))
                    (tensor-view added (list -1 heads
                                             (tensor-size added -2)
                                             (tensor-size added -1)))
                    added)))
    (if (and padding added) (+ padding added) (or padding added))))

(define (%added mask dtype)
  "A boolean mask as a tensor to add: minus infinity for masked elements."
  (if (eq? (tensor-dtype mask) 'bool)
      (tensor-masked-fill (tensor-zeros-like mask :dtype dtype) mask -inf.0)
      mask))
