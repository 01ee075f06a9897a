;; biased-attention.lisp - attention with what the fused kernels do not know: a
;; bias of the scores by the position of the key, and sinks.
;;
;;     shares of a query  =  softmax [q k1' + b1, q k2' + b2, ..., sink]
;;
;; key-bias is a procedure from the positions of keys [n, s] int64 to what is
;; added to scores, [n, heads, 1, s] float32.  ALiBi (Press et al. 2022) adds
;; -slope * distance; a shift of all scores of a query changes nothing, so that
;; slope * position is the same (linear-key-bias).
;;
;; A sink is a score for each head that no key has: what it takes of the shares
;; is lost (Xiao et al. 2024).

(define (alibi-slopes heads :most 8)
  "The slopes of ALiBi (Press et al. 2022) for that many heads: a list of
  numbers, 2^(-most k / heads) for head k from 1 where heads is a power of 2."
  (%positive "alibi-slopes" "heads" heads)
  (let* ((floor-power (let loop ((p 1))
                        (if (> (* 2 p) heads) p (loop (* 2 p)))))
         (slope (lambda (k of) (expt 2.0 (/ (* -1.0 most k) of))))
         (first (map (lambda (k) (slope (+ k 1) floor-power))
                     (range floor-power))))
    (append first
            (map (lambda (k) (slope (+ (* 2 k) 1) (* 2 floor-power)))
                 (range (- heads floor-power))))))

(define (linear-key-bias heads :most 8)
  "The key-bias of ALiBi for self-attention: slope * position."
  (let ((slopes (alibi-slopes heads :most most)))
    (lambda (positions)                                      ; [n, s]
      (* (tensor-to (%beside-heads positions) 'float32)
         (%head-column slopes 'float32 (tensor-device positions))))))

(define (%beside-heads positions)
  "Positions [n, s] as [n, 1, 1, s]."
  (tensor-unsqueeze (tensor-unsqueeze positions 1) 1))

(define (%head-column numbers dtype device)
  "A list of numbers as [heads, 1, 1]."
  (tensor-reshape (tensor numbers :dtype dtype :device device) '(-1 1 1)))

(define (%attend-biased step layer tables window scale key-bias sinks dropout q
                        k v)
  "%attend for a layer with a bias of keys, or with sinks."
  (let ((cache (%step-cache step))
        (count (tensor-size k 2)))
    (when (and cache (> dropout 0))
      (error "language model: a model in training takes no cache; call \
eval-mode! first"))
    (define (attend q keys values length first window)
      (%biased-attention step layer q (tensor-narrow keys 2 0 length)
                         (tensor-narrow values 2 0 length)
                         (%key-places length first (%step-padding step)
                                      (tensor-device q))
                         (%query-places (- length count) count first
                                        (tensor-device q))
                         window scale key-bias sinks dropout))
    (cond ((not cache)
           (attend (%rotated q tables) (%rotated k tables) v count 0 window))
          ((%streaming cache)
           (%attend-streamed step layer tables q k v :window window
                             :scale scale :key-bias key-bias :learned sinks))
          ((%paged-batch? cache)
           (%attend-paged-biased step cache layer window scale key-bias sinks
                                 (%rotated q tables) (%rotated k tables) v))
          (else
           (let ((window (%narrower window (%cache-window cache))))
             (let-values (((q keys values length first)
                           (%cache-extend! cache layer window tables q k v)))
               (attend q keys values length first window)))))))

(define (%key-places length first padding device)
  "The positions of keys [n, s], counted from the first token that is not
  padding; negative ones are padding."
  (let ((places (tensor-unsqueeze
                 (tensor-arange first (+ first length) :device device) 0)))
    (if padding (- places (tensor-unsqueeze padding 1)) places)))

(define (%query-places slot count first device)
  "The places of queries among all tokens [1, t]."
  (tensor-unsqueeze (tensor-arange (+ first slot) (+ first slot count)
                                   :device device)
                    0))

(define (%attend-paged-biased step batch layer window scale key-bias sinks q k
                              v)
  "%attend-paged for a layer with a bias of keys, or with sinks."
  (%write-pages! batch layer k v)
  (let-list (((keys values table) (%read-pages batch layer k v)))
    (let* ((starts (tensor-to (%batch-starts batch) (tensor-device q)))
           (count (tensor-size k 2))
           (length (+ (tensor-item (tensor-max starts)) count)))
      (%biased-attention step layer q (%rows-in-order keys table length)
                         (%only-written (%rows-in-order values table length)
                                        (+ starts count))
                         (%key-places length 0 #f (tensor-device q))
                         (+ (tensor-unsqueeze starts 1)
                            (%query-places 0 count 0 (tensor-device q)))
                         window scale key-bias sinks 0.0))))

(define (%rows-in-order pages table length)
  "The first keys or values of all sequences of a table, [n, kv-heads, length,
  d]; those after the end of a sequence are any."
  (let ((taken (tensor-index-select pages 0
                                    (tensor-to (tensor-flatten table)
                                               (tensor-device pages)))))
    (tensor-narrow
     (tensor-flatten (tensor-transpose
                      (tensor-unflatten taken 0 (tensor-shape table)) 1 2)
                     2 3)
     2 0 length)))

(define (%only-written values lengths)
  "Values [n, kv-heads, s, d] with zeros after the lengths [n], where memory that
  nothing was written to may hold any bits: no share of a nan is 0."
  (let ((rest (tensor-ge (tensor-arange (tensor-size values 2)
                                        :device (tensor-device values))
                         (tensor-unsqueeze
                          (tensor-to lengths (tensor-device values)) 1))))
    (if (= (tensor-size values 0) 1)
        values
        (tensor-masked-fill values
                            (tensor-unsqueeze (tensor-unsqueeze rest 1) 3)
                            0.0))))

(define (%biased-attention step layer q keys values places at window scale
                           key-bias sinks dropout)
  "Attention of q [n, heads, t, d] at places [n, t] to keys [n, kv-heads, s, d]
  at places [n, s]; the places of keys count without padding.  A block of
  queries after the other, so that scores take little memory."
  (let* ((bias (and key-bias (key-bias (tensor-clamp-min places 0))))
         (padding (%step-padding step))
         (real (if padding (+ places (tensor-unsqueeze padding 1)) places))
         (scale (or scale (%usual-scale q)))
         (blocks
          (map (lambda (start)
                 (let ((size (min %biased-block (- (tensor-size q 2) start))))
                   (%biased-weights
                    (tensor-narrow q 2 start size) keys scale bias sinks
                    (%seen-places (tensor-narrow at 1 start size) real window
                                  (and padding places)))))
               (range 0 (tensor-size q 2) %biased-block))))
    (when (eqv? layer (%step-watched step))
      (%set-step-weights! step (tensor-cat blocks 2)))
    (tensor-cat (map (lambda (weights)
                       (%grouped-product (%dropped weights dropout) values))
                     blocks)
                2)))

(define %biased-block 128)                       ; queries

(define (%seen-places at places window counted)
  "What queries at places [n, t] see of keys at places [n, s]: [n, 1, t, s].
  counted: places without padding, or #f; padding sees itself."
  (let* ((distance (- (tensor-unsqueeze at 2) (tensor-unsqueeze places 1)))
         (seen (tensor-ge distance 0))
         (seen (if window
                   (tensor-logical-and seen (tensor-lt distance window))
                   seen))
         (seen (if counted
                   (tensor-logical-or
                    (tensor-logical-and
                     seen (tensor-unsqueeze (tensor-ge counted 0) 1))
                    (tensor-eq distance 0))
                   seen)))
    (tensor-unsqueeze seen 1)))

(define (%biased-weights q keys scale bias sinks seen)
  "The shares [n, heads, t, s] of keys."
  (let* ((scores (tensor-to (%grouped-product (* q scale)
                                              (tensor-transpose keys -2 -1))
                            'float32))
         (scores (if bias (+ scores bias) scores))
         (scores (tensor-masked-fill scores (tensor-logical-not seen)
                                     %least-score))
         (shares (if sinks
                     (%shares-beside-sinks scores sinks)
                     (tensor-softmax scores -1))))
    (tensor-to shares (tensor-dtype q))))

(define (%shares-beside-sinks scores sinks)
  "softmax of scores [n, heads, t, s] and of a sink for each head, without the
  shares of the sinks."
  (let* ((shape (tensor-shape scores))
         (column (tensor-expand (tensor-reshape (tensor-to sinks 'float32)
                                                '(1 -1 1 1))
                                (append (take shape 3) '(1)))))
    (tensor-narrow (tensor-softmax (tensor-cat (list scores column) -1) -1)
                   -1 0 (tensor-size scores -1))))

(define (%grouped-product x y)
  "x [n, heads, t, a] times y [n, kv-heads, a, b], whose heads groups share."
  (let* ((groups (tensor-size y 1))
         (t (tensor-size x 2))
         (joined (tensor-reshape x (list (tensor-size x 0) groups -1
                                         (tensor-size x 3)))))
    (tensor-reshape (tensor-matmul joined y)
                    (list (tensor-size x 0) (tensor-size x 1) t
                          (tensor-size y 3)))))
