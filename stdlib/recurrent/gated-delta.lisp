;; gated-delta.lisp - the gated delta rule (Yang et al. 2024): a state of each
;; head, a matrix from keys to values, that forgets, and corrects what it has
;; for a key.
;;
;;     state'  =  decay state + k (x) rate (v - decay state' k)
;;     y       =  state'^T q
;;
;; In a chunk, the corrections u of all times solve one triangular system.

(define-module (gated-delta-net width heads value-heads head-dim value-dim
                                kernel layer :activation "silu" :eps 1e-6)
  "The layer of such states.  x [n, t, width] -> the same shape.  heads: of
  queries and keys, of head-dim features; value-heads, of value-dim, are as many
  or a multiple."
  ((layer layer)
   (heads heads)
   (value-heads value-heads)
   (head-dim head-dim)
   (sizes (let ((keys (* heads head-dim)))
            (list keys keys (* value-heads value-dim))))
   (activation (%plain-activation activation))
   (in-proj-qkvz (blank-linear width (+ (apply + sizes)
                                        (* value-heads value-dim))))
   (in-proj-ba (blank-linear width (* 2 value-heads)))
   (conv1d (causal-conv (apply + sizes) kernel))
   (dt-bias (tensor-ones value-heads :dtype (%weight-dtype)) :parameter)
   (a-log (tensor-zeros value-heads :dtype (%weight-dtype)) :parameter)
   (norm (llm-norm value-dim :eps eps))
   (out-proj (blank-linear (* value-heads value-dim) width)))
  (forward (x step)
    (let* ((x (%only-real step x))
           (parts (%by-key-heads (in-proj-qkvz x) heads sizes))
           (rates (%by-key-heads (in-proj-ba x) heads
                                 (list value-heads value-heads)))
           (before (%step-state step layer))
           (mixed (conv1d (tensor-cat (take parts 3) -1)
                          (and before (car before))))
           (result (%delta-scan
                    (map (lambda (part count)
                           (tensor-unflatten part -1 (list count -1)))
                         (tensor-split (activation (car mixed)) sizes -1)
                         (list heads heads value-heads))
                    (tensor-sigmoid (car rates))
                    (tensor-neg
                     (* (tensor-exp (tensor-to a-log 'float32))
                        (tensor-softplus (+ (tensor-to (cadr rates) 'float32)
                                            dt-bias))))
                    (and before (cadr before))))
           (gate (tensor-unflatten (cadddr parts) -1 (list value-heads -1)))
           (y (* (tensor-to (norm (tensor-to (car result) (tensor-dtype x)))
                            'float32)
                 (tensor-silu (tensor-to gate 'float32)))))
      (%set-step-state! step layer (list (cadr mixed) (cadr result)))
      (out-proj (tensor-flatten (tensor-to y (tensor-dtype x)) -2 -1)))))

(define (%by-key-heads joined heads sizes)
  "The parts of a projection [n, t, width] that lies by heads of keys: a list of
  [n, t, size], of the sizes and what is left."
  (let* ((grouped (tensor-unflatten joined -1 (list heads -1)))
         (sizes (map (lambda (size) (quotient size heads)) sizes))
         (rest (- (tensor-size grouped -1) (apply + sizes))))
    (map (lambda (part) (tensor-flatten part -2 -1))
         (tensor-split grouped (if (> rest 0)
                                   (append sizes (list rest))
                                   sizes)
                       -1))))

(define (%delta-scan parts rates decays state)
  "A list of y [n, t, value-heads, value-dim] and the last state [n,
  value-heads, head-dim, value-dim].  parts: queries, keys and values [n, t,
  heads, size]; rates and logarithms of decays [n, t, value-heads]."
  (let ((q (tensor-to (car parts) 'float32)))
    (%in-chunks %delta-chunk state
                (list (/ (%unit-vectors q) (sqrt (inexact (tensor-size q -1))))
                      (%unit-vectors (tensor-to (cadr parts) 'float32))
                      (tensor-to (caddr parts) 'float32)
                      (tensor-to rates 'float32)
                      decays))))

(define (%unit-vectors x)
  (* x (tensor-rsqrt (+ (tensor-sum (* x x) -1 :keepdim #t) 1e-6))))

(define (%delta-chunk state parts)
  "%delta-scan of a chunk."
  (let* ((parts (map (lambda (x) (tensor-transpose x 1 2)) parts))
         (heads (tensor-size (caddr parts) 1))
         (q (%for-each-head (car parts) heads))              ; [n, heads, t, k]
         (k (%for-each-head (cadr parts) heads))
         (v (caddr parts))                                   ; [n, heads, t, v]
         (rates (tensor-unsqueeze (cadddr parts) -1))        ; [n, heads, t, 1]
         (sums (tensor-cumsum (list-ref parts 4) -1))        ; [n, heads, t]
         (last (tensor-narrow sums -1 (- (tensor-size sums -1) 1) 1))
         (between (%decays-between sums))
         (since (tensor-unsqueeze (tensor-exp sums) -1))
         (known (if state (* since (tensor-matmul k state)) 0.0))
         (u (%corrections
             (* rates (* between
                         (tensor-matmul k (tensor-transpose k -2 -1))))
             (* rates (- v known))))
         (y (tensor-matmul (* between
                              (tensor-matmul q (tensor-transpose k -2 -1)))
                           u))
         (added (tensor-matmul
                 (tensor-transpose
                  (* k (tensor-unsqueeze (tensor-exp (- last sums)) -1)) -2 -1)
                 u)))
    (list (tensor-transpose
           (if state (+ y (* since (tensor-matmul q state))) y) 1 2)
          (if state
              (+ added (* state (tensor-unsqueeze (tensor-exp last) -1)))
              added))))

(define (%corrections weights wanted)
  "u [n, heads, t, v] with u + (weights below the diagonal) u = wanted."
  (if (= (tensor-size wanted 2) 1)
      wanted
      (tensor-linalg-solve-triangular (tensor-tril weights -1) wanted
                                      :upper #f :unitriangular #t)))
