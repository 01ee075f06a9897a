;; kv-cache.lisp - the keys and values of earlier tokens, so that a token costs
;; one step of the model.
;;
;; A cache has a store for each layer, which takes memory when the layer first
;; runs (cache-stores.lisp).  A call of the model writes behind the cache's
;; length, and advances it at its end; so a call that fails leaves the cache as
;; it was.

(define-record-type %kv-cache
  (%make-cache stores batch length limit window sinks bits padding)
  kv-cache?
  (stores %cache-stores %set-cache-stores!)      ; vector, one a layer
  (batch %cache-batch %set-cache-batch!)         ; rows
  (length %cache-length %set-cache-length!)      ; tokens so far
  (limit %cache-limit)                           ; of tokens, or #f
  (window %cache-window)
  (sinks %cache-sinks)                           ; tokens, or #f
  (bits %cache-bits)
  (padding %cache-padding %set-cache-padding!))  ; int64 [n], or #f

(define (kv-cache model :batch 1 :length #f :window #f :sinks #f :bits #f)
  "A cache for calls of a language model with that many rows.

  length: for how many tokens it is made; with #f, it grows.  window: layers
  see only that many tokens, and it keeps memory for about these; a model's own
  windows hold without it.  sinks: beside the window they see that many of the
  first tokens, and the angles of positions are those of places in the cache, so
  that a text may be longer than the model's context.  bits 8: keys and values are kept in int8, each with
  a scale, in about half of bfloat16's memory; bits 4: in int4, each 32 elements
  with a scale and a minimum, in about a third; results are a little off.
  Memory is taken by the first call."
  (%check-language-model "kv-cache" model)
  (%positive "kv-cache" "batch" batch)
  (when length (%positive "kv-cache" "length" length))
  (when window (%positive "kv-cache" "window" window))
  (%check-cache-bits "kv-cache" bits)
  (when (and window (decoder-states model))
    (%error-with-hint
     "kv-cache: the layers of the model have states, and no windows" '()
     "leave :window out; a state takes the same memory for any length"))
  (when sinks (%check-sinks "kv-cache" model window sinks))
  (%make-cache (%new-stores (%layer-count model)) batch 0 length window sinks
               bits #f))

(define (cache-length cache)
  "How many tokens a cache holds; padding counts."
  (%check-cache "cache-length" cache)
  (%cache-length cache))

(define (cache-batch cache)
  "How many rows a cache has."
  (%check-cache "cache-batch" cache)
  (%cache-batch cache))

(define (cache-bytes cache)
  "How many bytes of memory the keys and values of a cache take."
  (%check-cache "cache-bytes" cache)
  (fold (lambda (store sum) (+ sum (%store-bytes store)))
        0 (vector->list (%cache-stores cache))))

(define (cache-reset! cache)
  "Forget all tokens, and keep the memory for others; returns the cache."
  (%check-cache "cache-reset!" cache)
  (%set-cache-length! cache 0)
  (%set-cache-padding! cache #f)
  (vector-for-each %reset-store! (%cache-stores cache))
  cache)

(define (cache-truncate! cache n)
  "Forget the tokens after the first n; returns the cache.  A cache with a
  window remembers enough to forget a few dozen."
  (%check-cache "cache-truncate!" cache)
  (unless (and (exact-integer? n) (<= 0 n (%cache-length cache)))
    (wrong-type "cache-truncate!"
                (string "an integer from 0 to " (%cache-length cache)) n))
  (vector-for-each (lambda (store)
                     (%check-truncation store n (%cache-length cache)))
                   (%cache-stores cache))
  (if (= n 0)
      (cache-reset! cache)
      (begin (%set-cache-length! cache n)
             cache)))

(define (%cache-goes-back? cache n)
  "Whether cache-truncate! can forget the tokens after the first n."
  (every (lambda (store) (%store-goes-back? store n (%cache-length cache)))
         (vector->list (%cache-stores cache))))

(define (cache-select! cache rows)
  "Keep the rows of a list or of an int64 tensor, in that order; a row may occur
  several times.  Returns the cache."
  (%check-cache "cache-select!" cache)
  (let ((index (%row-index rows (%cache-batch cache))))
    (vector-for-each (lambda (store) (%store-select! store index))
                     (%cache-stores cache))
    (when (%cache-padding cache)
      (%set-cache-padding! cache
                           (%selected-rows (%cache-padding cache) index)))
    (%set-cache-batch! cache (tensor-size index 0))
    cache))

(define (%row-index rows batch)
  "Rows of a cache as an int64 tensor."
  (let ((index (cond ((tensor? rows) rows)
                     ((and (list? rows) (every exact-integer? rows))
                      (tensor rows :dtype 'int64))
                     (else (wrong-type "cache-select!"
                                       "a list or a tensor of rows" rows)))))
    (unless (and (eq? (tensor-dtype index) 'int64)
                 (= (tensor-rank index) 1)
                 (> (tensor-size index 0) 0)
                 (<= 0 (tensor-item (tensor-min index)))
                 (< (tensor-item (tensor-max index)) batch))
      (error (format "cache-select!: expected rows from 0 to ~a, got"
                     (- batch 1))
             rows))
    index))

(define (copy-cache cache)
  "A cache of the same tokens, with memory of its own."
  (%check-cache "copy-cache" cache)
  (%make-cache (vector-map %copy-store (%cache-stores cache))
               (%cache-batch cache) (%cache-length cache) (%cache-limit cache)
               (%cache-window cache) (%cache-sinks cache)
               (%cache-bits cache) (%cache-padding cache)))

(define (%check-cache who cache)
  (unless (kv-cache? cache)
    (wrong-type who "a cache of kv-cache" cache)))

;; For the model.

(define (%check-cache-fits cache rows steps padding)
  "Raise an error unless a call with [rows, steps] tokens fits a cache."
  (unless (= rows (%cache-batch cache))
    (%error-with-hint
     (format "language model: the cache has ~a row~a, the tokens have ~a"
             (%cache-batch cache) (if (= (%cache-batch cache) 1) "" "s") rows)
     '() (format "(kv-cache model :batch ~a)" rows)))
  (when (and padding (> (%cache-length cache) 0))
    (error "language model: :padding belongs to the first call with a cache, \
which has tokens already:" (%cache-length cache)))
  (when (and padding (%cache-sinks cache))
    (%error-with-hint
     "language model: a cache with sinks takes no :padding, which would be them"
     '() "give texts of different lengths a cache each"))
  (let ((limit (%cache-limit cache))
        (needed (+ (%cache-length cache) steps)))
    (when (and limit (> needed limit))
      (%error-with-hint
       (format "language model: the cache is made for ~a tokens, this call \
needs ~a" limit needed)
       '() "(kv-cache model :length #f) grows"))))

(define (%cache-extend! cache layer window tables q k v)
  "Rotate the queries and keys of a layer, and write keys and values behind
  those before.  The values are: the rotated queries, all keys and values [n,
  kv-heads, room, d], how many are valid, and the position of the first."
  (if (%cache-bits cache)
      (let-values (((parts length first)
                    (%cache-append! cache layer window
                                    (list (%rotated k tables) v))))
        (values (%rotated q tables) (car parts) (cadr parts) length first))
      (let* ((store (vector-ref (%cache-stores cache) layer))
             (count (tensor-size k 2))
             (slot (%store-room! store (list k v) (%cache-length cache) count
                                 (%cache-limit cache) window 0))
             (parts (%store-parts store))
             (q (tensor-rotary-write! (car parts) (cadr parts) q k v
                                      (%tables-cos tables)
                                      (%tables-sin tables) slot
                                      (%tables-interleaved tables))))
        (values q (car parts) (cadr parts) (+ slot count)
                (%store-first store)))))

(define (%cache-append! cache layer window parts)
  "Write parts [n, heads, t, size] behind those before.  The values are: a list
  of all of each [n, heads, room, size], how many are valid, and the position of
  the first."
  (let* ((store (vector-ref (%cache-stores cache) layer))
         (bits (%cache-bits cache))
         (new (if bits
                  (append-map (lambda (part) (%packed part bits)) parts)
                  parts))
         (length (+ (%store-room! store new (%cache-length cache)
                                  (tensor-size (car parts) 2)
                                  (%cache-limit cache) window
                                  (or (%cache-sinks cache) 0))
                    (tensor-size (car parts) 2))))
    (%store-write! store new (- length (tensor-size (car parts) 2)))
    (values (if bits
                (%all-unpacked (%store-read store length) bits
                               (map (lambda (part) (tensor-size part -1))
                                    parts))
                (%store-parts store))
            length
            (%store-first store))))
