;; attention.lisp - attention as layers: torch's, and that of language models.
;;
;; Inside, queries, keys and values are [n, heads, t, d], whatever the layout of
;; the inputs.

(define-module (multi-head-attention embed-dim num-heads :dropout 0.0 :bias #t
                                     :add-bias-kv #f :add-zero-attn #f
                                     :kdim #f :vdim #f :batch-first #f)
  "Attention of several heads (Vaswani et al. 2017), with torch's parameters.
  Its arguments are query [t, n, embed-dim], key [s, n, kdim] and value [s, n,
  vdim]; with :batch-first #t, n is the first dimension; n may be missing.
  The values are the output, like query, and the weights [n, t, s].

  A call may have :key-padding-mask [n, s] and :attn-mask [t, s] or [n heads,
  t, s]: a true element of a boolean mask masks a key out, other masks are
  added to the scores.  :is-causal #t masks the keys after each query.
  :need-weights #f is faster: the second value is #f.
  :average-attn-weights #f shows the weights of each head [n, heads, t, s].

  num-heads divides embed-dim.  kdim and vdim are embed-dim unless given.
  (attention q k v) applies it to a tensor."
  ((embed-dim (%positive "multi-head-attention" "embed-dim" embed-dim))
   (num-heads (%divisor "multi-head-attention" "num-heads" num-heads
                        "embed-dim" embed-dim))
   (dropout (%rate "multi-head-attention" "dropout" dropout))
   (add-zero-attn add-zero-attn)
   (batch-first batch-first)
   (kdim (%positive "multi-head-attention" "kdim" (or kdim embed-dim)))
   (vdim (%positive "multi-head-attention" "vdim" (or vdim embed-dim)))
   (packed (= embed-dim kdim vdim))
   (in-proj-weight (and packed (tensor-empty (* 3 embed-dim) embed-dim))
                   :parameter)
   (q-proj-weight (and (not packed) (tensor-empty embed-dim embed-dim))
                  :parameter)
   (k-proj-weight (and (not packed) (tensor-empty embed-dim kdim)) :parameter)
   (v-proj-weight (and (not packed) (tensor-empty embed-dim vdim)) :parameter)
   (in-proj-bias (and bias (tensor-zeros (* 3 embed-dim))) :parameter)
   (bias-k (and add-bias-kv (tensor-empty 1 1 embed-dim)) :parameter)
   (bias-v (and add-bias-kv (tensor-empty 1 1 embed-dim)) :parameter)
   (out-proj (%output-projection embed-dim bias
                                 (list in-proj-weight q-proj-weight
                                       k-proj-weight v-proj-weight)
                                 (list bias-k bias-v))))
  (forward (query key value :key-padding-mask #f :need-weights #t :attn-mask #f
                  :average-attn-weights #t :is-causal #f)
    (let-values (((q k v)
                  (%project-heads query key value embed-dim in-proj-weight
                                  q-proj-weight k-proj-weight v-proj-weight
                                  in-proj-bias)))
      (let* ((batched (= (tensor-rank query) 3))
             (layout (if batched (if batch-first 'first 'second) 'none))
             (heads (lambda (x) (%split-heads x num-heads layout)))
             (k (%with-extra-key (heads k) bias-k num-heads add-zero-attn))
             (v (%with-extra-key (heads v) bias-v num-heads add-zero-attn))
             (extra (+ (if bias-k 1 0) (if add-zero-attn 1 0))))
        (let-values (((y weights)
                      (%attend-heads (heads q) k v extra key-padding-mask
                                     attn-mask is-causal need-weights
                                     (if (training? self) dropout 0.0))))
          (values (out-proj (%join-heads y layout))
                  (%shown-weights weights average-attn-weights batched)))))))

(define (%output-projection embed-dim bias weights rows)
  "The last layer of the attention.  The weights before it, and rows of keys,
  get their values after it, as in PyTorch."
  (let ((projection (linear embed-dim embed-dim :bias bias)))
    (when bias (tensor-zeros! (linear-bias projection)))
    (for-each (lambda (x) (when x (tensor-xavier-uniform! x))) weights)
    (for-each (lambda (x) (when x (tensor-xavier-normal! x))) rows)
    projection))

(define (%project-heads query key value embed-dim weight wq wk wv bias)
  "The projected queries, keys and values: one product for self-attention."
  (if (and weight (eq? query key) (eq? key value))
      (let-list (((q k v)
                  (tensor-chunk (tensor-linear query weight bias) 3 -1)))
        (values q k v))
      (let ((weights (if weight (tensor-chunk weight 3) (list wq wk wv)))
            (biases (if bias (tensor-chunk bias 3) '(#f #f #f))))
        (values (tensor-linear query (car weights) (car biases))
                (tensor-linear key (cadr weights) (cadr biases))
                (tensor-linear value (caddr weights) (caddr biases))))))

(define (%split-heads x heads layout)
  "x as [n, heads, t, d].  layout: which dimension of x is n."
  (let ((split (tensor-unflatten x -1 (list heads -1))))
    (cond ((eq? layout 'first) (tensor-transpose split 1 2))
          ((eq? layout 'second) (tensor-permute split '(1 2 0 3)))
          (else (tensor-unsqueeze (tensor-transpose split 0 1) 0)))))

(define (%join-heads x layout)
  "x [n, heads, t, d] in the layout of the inputs."
  (cond ((eq? layout 'first) (tensor-flatten (tensor-transpose x 1 2) 2))
        ((eq? layout 'second) (tensor-flatten (tensor-permute x '(2 0 1 3)) 2))
        (else (tensor-flatten (tensor-transpose (tensor-squeeze x 0) 0 1) 1))))

(define (%with-extra-key x row heads zeros)
  "x [n, heads, s, d] with a learned key or value after the others, and one of
  zeros."
  (let* ((size (tensor-size x 3))
         (x (if row
                (tensor-cat
                 (list x (tensor-expand (tensor-view row (list 1 heads 1 size))
                                        (list (tensor-size x 0) heads 1 size)))
                 2)
                x)))
    (if zeros (tensor-pad x '(0 0 0 1)) x)))

(define (%attend-heads q k v extra padding mask causal need-weights p)
  "The output [n, heads, t, d], and the weights [n, heads, t, s], or #f."
  (if (and causal
           (not (or (tensor? mask) (tensor? padding) need-weights
                    (> extra 0))))
      (values (tensor-scaled-dot-product-attention q k v #f p #t) #f)
      (let ((mask (%head-mask q k extra padding
                              (if (and causal (not (tensor? mask)))
                                  (%later-keys q)
                                  mask))))
        (if need-weights
            (%attend-visibly q k v mask p)
            (values (tensor-scaled-dot-product-attention q k v mask p) #f)))))

(define (%attend-visibly q k v mask p)
  "The output and the weights of the values."
  (let* ((scale (/ (sqrt (inexact (tensor-size q 3)))))
         (scores (tensor-matmul (* q scale) (tensor-transpose k -2 -1)))
         (weights (%attention-shares (if (tensor? mask) (+ scores mask) scores)
                                     (tensor? mask)))
         (weights (if (> p 0) (tensor-dropout weights p #t) weights)))
    (values (tensor-matmul weights v) weights)))

(define (%attention-shares scores masked . dtype)
  "The softmax of scores [..., s]; zeros for a row of which all is masked."
  (let ((softmax (if masked tensor-private--safe-softmax tensor-softmax)))
    (apply softmax scores -1 dtype)))

(define (%later-keys q)
  "The mask [t, t] of keys after each query."
  (let ((size (tensor-size q 2)))
    (tensor-triu (tensor-ones size size :dtype 'bool :device (tensor-device q))
                 1)))

(define (%head-mask q k extra padding mask)
  "What is added to the scores [n, heads, t, s]; #f for nothing."
  (%check-masks q (- (tensor-size k 2) extra) padding mask)
  (%joint-mask (%padded (if (and (tensor? padding) (= (tensor-rank padding) 1))
                            (tensor-unsqueeze padding 0)
                            padding)
                        extra)
               (%padded mask extra)
               (tensor-size q 0) (tensor-size q 1) (tensor-dtype q)))

(define (%check-masks q s padding mask)
  "Raise an error unless the masks have the shapes of the inputs."
  (let ((n (tensor-size q 0))
        (steps (tensor-size q 2)))
    (when (tensor? padding)
      (%check-mask ":key-padding-mask" padding (list n s) (list s)))
    (when (tensor? mask)
      (%check-mask ":attn-mask" mask (list steps s)
                   (list (* n (tensor-size q 1)) steps s)))))

(define (%check-mask name mask shape other)
  "Raise an error unless the mask has one of the two shapes."
  (unless (or (equal? (tensor-shape mask) shape)
              (equal? (tensor-shape mask) other))
    (error (string "multi-head-attention: expected " name " of shape " shape
                   " or " other ", got")
           (tensor-shape mask))))

(define (%shown-weights weights average batched)
  "The weights in the form that a call returns."
  (and weights
       (let ((shown (if average (tensor-mean weights 1) weights)))
         (if batched shown (tensor-squeeze shown 0)))))

;; Language models.

(define-module (grouped-query-attention width num-heads :num-kv-heads #f
                                        :head-dim #f :bias #f :dropout 0.0
                                        :is-causal #t)
  "Attention of a sequence to itself, in which several heads of queries share
  one of keys and values (Ainslie et al. 2023).  x [n, t, width] or [t, width]
  -> the same shape.

  num-kv-heads, num-heads unless given, divides num-heads; head-dim is width /
  num-heads unless given.  The parameters are q-proj, k-proj, v-proj and
  o-proj, as in Llama.  By default, no position sees those after it.  A call
  may have a :mask [t, t] or [n, 1, t, t], in which a boolean element says
  what a position sees, and other elements are added to the scores; it
  replaces is-causal.  (attention q k v) applies it to a tensor."
  ((width (%positive "grouped-query-attention" "width" width))
   (num-heads (%positive "grouped-query-attention" "num-heads" num-heads))
   (num-kv-heads (%divisor "grouped-query-attention" "num-kv-heads"
                           (or num-kv-heads num-heads) "num-heads" num-heads))
   (head-dim (if head-dim
                 (%positive "grouped-query-attention" "head-dim" head-dim)
                 (quotient (begin
                             (%divisor "grouped-query-attention" "num-heads"
                                       num-heads "width" width)
                             width)
                           num-heads)))
   (dropout (%rate "grouped-query-attention" "dropout" dropout))
   (is-causal is-causal)
   (q-proj (linear width (* num-heads head-dim) :bias bias))
   (k-proj (linear width (* num-kv-heads head-dim) :bias bias))
   (v-proj (linear width (* num-kv-heads head-dim) :bias bias))
   (o-proj (linear (* num-heads head-dim) width :bias bias)))
  (forward (x :mask #f)
    (let ((split (lambda (y heads)               ; [..., heads, t, d]
                   (tensor-transpose (tensor-unflatten y -1 (list heads -1))
                                     -3 -2))))
      (o-proj
       (tensor-flatten
        (tensor-transpose
         (tensor-scaled-dot-product-attention
          (split (q-proj x) num-heads)
          (split (k-proj x) num-kv-heads)
          (split (v-proj x) num-kv-heads)
          mask
          (if (training? self) dropout 0.0)
          (and is-causal (not (tensor? mask)))
          :enable-gqa (not (= num-heads num-kv-heads)))
         -3 -2)
        -2)))))
