;; sink-attention.lisp - attention of caches that keep the first tokens of a
;; text, its sinks, and a window of the last ones, so that texts need not end
;; (Xiao et al. 2024).
;;
;;     tokens     0 1 2 3 | 96 97 98 99        4 sinks, a window of 4
;;     places     0 1 2 3 |  4  5  6  7        by which they are rotated
;;
;; Such a cache has keys before their rotation.  They are rotated by their slots,
;; in which those of a window are as far apart as their places are; a query has
;; one rotation for these, and another for the sinks, that of its place.  So
;; queries of which each sees other keys share a product, and what a text becomes
;; does not depend on the parts in which it came.

(define (%check-sinks who model window sinks)
  "Raise an error unless a model can have a cache with so many sinks."
  (unless (%size? sinks 0)
    (wrong-type who "a non-negative integer for sinks" sinks))
  (unless window
    (%error-with-hint (string who ": sinks are kept beside a window, and there \
is none") '() "give :window, how many of the last tokens stay"))
  (%positive who "window" window)
  (let ((obstacle (%sinks-obstacle model (+ sinks window))))
    (when obstacle
      (%error-with-hint (format "~a: ~a do not go with this model: ~a" who
                                (if (= sinks 0) "windows" "sinks") obstacle)
                        '() "leave :window and :sinks out"))))

(define (%sinks-obstacle model tokens)
  "Why a model cannot have a cache with sinks, of so many tokens; #f if it can."
  (cond ((decoder-states model) "its layers have states, which take the same \
memory for any length")
        ((decoder-positions model) "it has learned positions, which are added \
to tokens before any cache")
        ((pair? (%length-rotations model)) "it rotates long texts by other \
angles than short ones")
        ((any (lambda (entry)
                (and (self-attention? (cdr entry))
                     (self-attention-rotate-first (cdr entry))))
              (named-modules model))
         "it has norms after the rotation")
        ((> tokens (model-context model))
         (format "with the window they are ~a tokens, and its context is ~a"
                 tokens (model-context model)))
        (else #f)))

(define (%streaming cache)
  "The sinks of a cache that has some, or none beside a window, and its window, as
  a pair; #f for other caches."
  (cond ((kv-cache? cache)
         (and (%cache-sinks cache)
              (cons (%cache-sinks cache) (%cache-window cache))))
        ((%paged-batch? cache) (%pool-streaming (%batch-pool cache)))
        (else #f)))

(define (%streamed-places streaming places)
  "The places in a cache of tokens at those of the text."
  (tensor-clamp-max places (+ (car streaming) (cdr streaming) -1)))

(define (%attend-streamed step layer tables q k v :window #f :scale #f
                          :softcap 0.0 :key-bias #f :learned #f)
  "Attention of a layer [n, heads, t, d] over a cache with sinks.  q [n, heads, t,
  d], k and v [n, kv-heads, t, d] are not rotated; without v, values are the keys.
  learned: sinks that are scores; see biased-attention.lisp."
  (let* ((cache (%step-cache step))
         (device (tensor-device q))
         (count (tensor-size k 2))
         (attend (lambda (keys values at)
                   (%streamed-attention (%streaming cache) tables q keys values
                                        at window (or scale (%usual-scale q))
                                        softcap key-bias learned))))
    (if (%paged-batch? cache)
        (begin
          (%write-pages! cache layer k (or v k))
          (let-list (((keys values table) (%read-pages cache layer k
                                                        (or v k))))
            (let* ((starts (%batch-starts cache))
                   (length (+ (tensor-item (tensor-max starts)) count)))
              (attend (%rows-in-order keys table length)
                      (%only-written (%rows-in-order values table length)
                                     (+ starts count))
                      (+ (tensor-unsqueeze (tensor-to starts device) 1)
                         (%query-places 0 count 0 device))))))
        (let-values (((parts length first)
                      (%cache-append! cache layer (%cache-window cache)
                                      (if v (list k v) (list k)))))
          (attend (tensor-narrow (car parts) 2 0 length)
                  (tensor-narrow (if v (cadr parts) (car parts)) 2 0 length)
                  (%query-places (- length count) count 0 device))))))

(define (%streamed-attention streaming tables q keys values at window scale
                             softcap key-bias learned)
  "Attention of q [n, heads, t, d] at slots [n or 1, t] to keys [n, kv-heads, s,
  d] in slots from 0.  A block of queries after the other, so that scores take
  little memory."
  (let ((keys (%rotated-by-slots keys tables (tensor-size keys 2) #f)))
    (tensor-cat
     (map (lambda (start)
            (let* ((size (min %biased-block (- (tensor-size q 2) start)))
                   (at (tensor-narrow at 1 start size)))
              (%grouped-product
               (%streamed-shares
                (%streamed-scores streaming tables
                                  (* scale (tensor-narrow q 2 start size)) keys
                                  at)
                streaming at window softcap key-bias learned
                (tensor-dtype values))
               values)))
          (range 0 (tensor-size q 2) %biased-block))
     2)))

(define (%streamed-scores streaming tables q keys at)
  "The products of queries at slots [n or 1, t] and rotated keys: [n, heads, t, s]
  float32."
  (let* ((s (tensor-size keys 2))
         (sinks (min s (car streaming)))
         (score (lambda (places first count)
                  (tensor-to
                   (%grouped-product
                    (%rotated-by-slots q tables s places)
                    (tensor-transpose (tensor-narrow keys 2 first count) -2 -1))
                   'float32))))
    (tensor-cat (list (score (%streamed-places streaming at) 0 sinks)
                      (score at sinks (- s sinks)))
                -1)))

(define (%rotated-by-slots x tables slots at)
  "x rotated as at the first slots, or at those [n or 1, t]."
  (let ((rotation (%tables-rotation tables)))
    (if rotation
        (%rotated x (%tables-of rotation
                                (%common-angles
                                 rotation 0 slots
                                 (if (and at (= (tensor-size at 0) 1))
                                     (tensor-select at 0 0)
                                     at)
                                 (tensor-device x))))
        x)))

(define (%streamed-shares scores streaming at window softcap key-bias learned
                          dtype)
  "The shares [n, heads, t, s] of keys.  Sinks count as if they came right before
  the window."
  (let* ((slots (tensor-arange (tensor-size scores -1)
                               :device (tensor-device at)))
         (sink (tensor-lt slots (car streaming)))
         (shift (tensor-unsqueeze (- at (%streamed-places streaming at)) 2))
         (places (+ slots (* shift (tensor-to sink 'int64))))    ; [n, t, s]
         (distance (- (tensor-unsqueeze at 2) places))
         (seen (tensor-logical-and
                (tensor-ge distance 0)
                (tensor-logical-or sink (tensor-lt distance (cdr streaming)))))
         (seen (if window
                   (tensor-logical-and seen (tensor-lt distance window))
                   seen))
         (scores (if (> softcap 0)
                     (* softcap (tensor-tanh (/ scores softcap)))
                     scores))
         (scores (if key-bias
                     (+ scores (%bias-of-places key-bias places))
                     scores))
         (scores (tensor-masked-fill
                  scores (tensor-logical-not (tensor-unsqueeze seen 1))
                  %least-score)))
    (tensor-to (if learned
                   (%shares-beside-sinks scores learned)
                   (tensor-softmax scores -1))
               dtype)))

(define (%bias-of-places key-bias places)
  "What a key-bias adds to scores, [n, heads, t, s], if each query sees keys at
  places of its own [n, t, s]."
  (tensor-transpose
   (tensor-unflatten (tensor-squeeze (key-bias (tensor-flatten places 0 1)) 2)
                     0 (take (tensor-shape places) 2))
   1 2))
