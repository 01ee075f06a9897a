;; paged-cache.lisp - the caches of many sequences in one pool of pages (Kwon et
;; al. 2023), so that sequences that come and go share memory without copies.
;;
;; A pool has, for each layer, parts [pages, kv-heads, page-size, ...]: keys and
;; values, and in int8 or int4 the scales of each.  A sequence has a list of
;; pages, which grows as it does; the first ones it may share with others
;; (kept-pages.lisp).  A call of the model takes a batch: several sequences with
;; one token each, or one with any number.

(define-record-type %paged-cache
  (%make-pool layers pages page-size bits streaming free kept)
  paged-cache?
  (layers %pool-layers)                          ; vector of lists of parts, #f
  (pages %pool-pages)
  (page-size %pool-page-size)
  (bits %pool-bits)                              ; 8, 4 or #f
  (streaming %pool-streaming)                    ; sinks and window, or #f
  (free %pool-free %set-pool-free!)              ; list of pages
  (kept %pool-kept))                             ; of kept-pages.lisp

(define-record-type %paged-sequence
  (%make-sequence pool pages tip length dropped front states freed least)
  paged-sequence?
  (pool %sequence-pool)
  (pages %sequence-pages %set-sequence-pages!)   ; list, first to last
  (tip %sequence-tip %set-sequence-tip!)         ; the last kept one, or #f
  (length %sequence-length %set-sequence-length!)
  (dropped %sequence-dropped %set-sequence-dropped!)   ; tokens; see paged-windows
  (front %sequence-front %set-sequence-front!)   ; pages before those, or #f
  (states %sequence-states %set-sequence-states!)      ; see paged-states
  (freed %sequence-freed? %set-sequence-freed!)
  (least %sequence-least))                       ; tokens of its first text

(define-record-type %paged-batch
  (%make-paged-batch pool sequences table starts states)
  %paged-batch?
  (pool %batch-pool)
  (sequences %batch-sequences)
  (table %batch-table %set-batch-table!)         ; int64 [n, most pages]
  (starts %batch-starts %set-batch-starts!)      ; int64 [n]
  (states %batch-states %set-batch-states!))     ; after the call, or #f

(define (paged-cache model :pages 256 :page-size 16 :bits #f :window #f
                           :sinks #f)
  "A pool of pages for the keys and values of a language model: pages of
  page-size tokens each, which paged-sequence shares out.  bits: 8 or 4 to keep
  them in int8 or int4, as kv-cache does.  window and sinks: as for kv-cache, with
  0 sinks unless they are given; pages that no later token sees become free.  Of
  layers that have states each sequence has its own, beside its pages.  Memory is
  taken by the first call."
  (%check-language-model "paged-cache" model)
  (%positive "paged-cache" "pages" pages)
  (%positive "paged-cache" "page-size" page-size)
  (%check-cache-bits "paged-cache" bits)
  (when (or window sinks)
    (%check-sinks "paged-cache" model window (or sinks 0)))
  (%make-pool (make-vector (%layer-count model) #f) pages page-size bits
              (and window (cons (or sinks 0) window))
              (range pages) (%new-kept-pages model)))

(define (paged-sequence pool :tokens 0)
  "A new sequence without tokens in a pool of paged-cache.  tokens: how many it
  begins with, if they come in several calls, since some models rotate long
  texts by other angles."
  (unless (paged-cache? pool)
    (wrong-type "paged-sequence" "a pool of paged-cache" pool))
  (unless (%size? tokens 0)
    (wrong-type "paged-sequence" "a non-negative integer for :tokens" tokens))
  (%make-sequence pool '() #f 0 0 #f #f #f tokens))

(define (sequence-length sequence)
  "How many tokens a sequence of paged-sequence holds."
  (%check-paged-sequence "sequence-length" sequence)
  (%sequence-length sequence))

(define (sequence-free! sequence)
  "Give the pages of a sequence back to its pool.  It cannot be used again;
  nothing happens if that was done before."
  (unless (paged-sequence? sequence)
    (wrong-type "sequence-free!" "a sequence of paged-sequence"
                sequence))
  (unless (%sequence-freed? sequence)
    (%give-pages! (%sequence-pool sequence)
                  (%own-pages sequence))
    (%release-kept! sequence 0)
    (%set-sequence-pages! sequence '())
    (%set-sequence-states! sequence #f)
    (%set-sequence-freed! sequence #t)))

(define (sequence-truncate! sequence n)
  "Forget the tokens of a sequence after the first n, and give pages without
  tokens back; returns the sequence."
  (%check-paged-sequence "sequence-truncate!" sequence)
  (unless (and (exact-integer? n) (<= 0 n (%sequence-length sequence)))
    (wrong-type "sequence-truncate!"
                (string "an integer from 0 to " (%sequence-length sequence)) n))
  (%check-states-of sequence n)
  (%check-not-dropped sequence n)
  (let* ((pool (%sequence-pool sequence))
         (pages (%sequence-pages sequence))
         (left (%pages-for pool (- n (%sequence-dropped sequence))))
         (kept (%kept-depth sequence))
         (whole (quotient n (%pool-page-size pool)))
         (given (drop pages (max left kept)))
         (copies? (< whole (min left kept))))   ; a page that others have, too
    (when (and copies? (null? given) (= 0 (paged-free-pages pool))
               (not (%has-kept-alone? sequence whole)))
      (%error-with-hint
       "sequence-truncate!: the last page is shared with other sequences, and no \
page is free for a copy" '()
       "free sequences, or create the pool with more :pages"))
    (%give-pages! pool given)
    (%release-kept! sequence (min kept whole))
    (%set-sequence-length! sequence n)
    (%set-sequence-pages! sequence
                          (if copies?
                              (append (take pages whole)
                                      (list (%page-copy pool
                                                        (list-ref pages whole))))
                              (take pages left)))
    sequence))

(define (%page-copy pool page)
  "A page of its own with what a kept page has, which others may have, too."
  (let ((own (car (%taken-pages! pool 1))))
    (inference-mode
      (for-each (lambda (part)
                  (tensor-copy! (tensor-select part 0 own)
                                (tensor-select part 0 page)))
                (append-map (lambda (parts) (or parts '()))
                            (vector->list (%pool-layers pool)))))
    own))

(define (%own-pages sequence)
  "The pages that only this sequence has."
  (drop (%sequence-pages sequence) (%kept-depth sequence)))

(define (%give-pages! pool pages)
  "Let pages be free."
  (%set-pool-free! pool (append pages (%pool-free pool))))

(define (paged-free-pages pool)
  "How many pages of a pool no sequence has."
  (unless (paged-cache? pool)
    (wrong-type "paged-free-pages" "a pool of paged-cache" pool))
  (+ (length (%pool-free pool)) (%idle-kept-pages (%pool-kept pool))))

(define (%taken-pages! pool count)
  "So many pages, which are no longer free; those that are kept for nobody are
  given up if others do not suffice."
  (let ((lacking (- count (length (%pool-free pool)))))
    (when (> lacking 0)
      (%give-pages! pool (%evicted-pages! (%pool-kept pool) lacking)))
    (let ((taken (take (%pool-free pool) count)))
      (%set-pool-free! pool (drop (%pool-free pool) count))
      taken)))

(define (paged-batch sequences)
  "What a call of the model takes as :cache for a list of sequences of one pool:
  ids [n, 1] with a token for each of them, or [1, t] for a single one.  It is
  made for one call."
  (unless (and (list? sequences) (pair? sequences))
    (wrong-type "paged-batch" "a list of sequences" sequences))
  (%check-paged-sequences "paged-batch" sequences)
  (let ((pool (%sequence-pool (car sequences))))
    (unless (every (lambda (each) (eq? (%sequence-pool each) pool)) sequences)
      (error "paged-batch: the sequences are of several pools"))
    (unless (= (length (delete-duplicates sequences eq?)) (length sequences))
      (error "paged-batch: a sequence occurs twice"))
    (%make-paged-batch pool sequences #f #f #f)))

(define (%check-paged-sequence who sequence)
  (unless (paged-sequence? sequence)
    (wrong-type who "a sequence of paged-sequence" sequence))
  (when (%sequence-freed? sequence)
    (error (string who ": the sequence has been freed"))))

(define (%check-paged-sequences who sequences)
  (for-each (lambda (each) (%check-paged-sequence who each)) sequences))

(define (%pages-for pool tokens)
  "How many pages that many tokens take."
  (quotient (+ tokens (- (%pool-page-size pool) 1)) (%pool-page-size pool)))

;; For the model.

(define (%paged-step model ids batch count padding)
  "The step of a call with a batch: pages for its tokens have been found."
  (let ((sequences (%batch-sequences batch))
        (streaming (%streaming batch)))
    (when padding
      (error "language model: sequences in pages have no :padding"))
    (%check-paged-ids (tensor-size ids 0) count (length sequences))
    (%check-paged-sequences "language model" sequences)
    (%take-pages! (%batch-pool batch) sequences count)
    (let* ((starts (map %sequence-slots sequences))
           (placed (lambda (positions)
                     (if streaming
                         (%streamed-places streaming positions)
                         positions))))
      (%set-batch-table! batch (%page-table sequences))
      (%set-batch-starts! batch (tensor starts :dtype 'int64 :device "cpu"))
      (if (= count 1)
          (let ((positions (placed (tensor (map list starts) :dtype 'int64
                                           :device (tensor-device ids)))))
            (%step-with model ids batch (apply max starts) 1 #f positions
                        positions #f))
          (%step-with model ids batch (car starts) count #f
                      (and (or streaming (decoder-positions model))
                           (placed (%token-positions (car starts) count #f
                                                     (tensor-device ids))))
                      #f
                      (list (if (> (%sequence-least (car sequences)) 0)
                                (%sequence-least (car sequences))
                                (+ (car starts) count))))))))

(define (%check-paged-ids rows count sequences)
  (unless (and (= rows sequences) (or (= rows 1) (= count 1)))
    (error (format "language model: expected ids [~a, 1] for a batch of ~a \
sequence~a~a, got" sequences sequences (if (= sequences 1) "" "s")
                   (if (= sequences 1) ", or [1, t]" ""))
           (list rows count))))

(define (%take-pages! pool sequences count)
  "Let each sequence have pages for count more tokens, or none of them."
  (for-each %drop-passed-pages! sequences)
  (let* ((lacks (map (lambda (each) (%lacking-pages each count)) sequences))
         (needed (apply + lacks)))
    (when (> needed (paged-free-pages pool))
      (%error-with-hint
       (format "paged-cache: this call needs ~a more page~a, and ~a of ~a are \
free" needed (if (= needed 1) "" "s") (paged-free-pages pool)
               (%pool-pages pool))
       '() "free sequences, or create the pool with more :pages"))
    (for-each
     (lambda (each lack)
       (when (> lack 0)
         (%set-sequence-pages! each (append (%sequence-pages each)
                                            (%taken-pages! pool lack)))))
     sequences lacks)))

(define (%page-table sequences)
  "The pages of sequences [n, most pages]; shorter rows end with zeros."
  (let ((most (apply max (map (lambda (each) (length (%sequence-pages each)))
                              sequences))))
    (tensor (map (lambda (each)
                   (let ((pages (%sequence-pages each)))
                     (append pages (make-list (- most (length pages)) 0))))
                 sequences)
            :dtype 'int64 :device "cpu")))

(define (%finish-paged! batch count)
  "Let the sequences of a batch have the tokens of a step."
  (%finish-states! batch)
  (for-each (lambda (each)
              (%set-sequence-length! each (+ (%sequence-length each) count)))
            (%batch-sequences batch)))

(define (%attend-paged step batch layer window scale softcap q k v)
  "Attention of a layer over pages, to which the rotated keys and the values
  are written first."
  (%write-pages! batch layer k v)
  (let-list (((keys values table) (%read-pages batch layer k v)))
    (let ((starts (%batch-starts batch))
          (count (tensor-size k 2)))
      (if (= count 1)
          (tensor-paged-attention q keys values table (+ starts 1)
                                  window :scale scale :softcap softcap)
          (tensor-cached-attention q (%in-order keys table)
                                   (%in-order values table)
                                   (+ (%step-start step) count) #f window
                                   :scale scale :softcap softcap)))))

(define (%write-pages! batch layer k v)
  "Write keys and values of a layer behind those before."
  (let* ((pool (%batch-pool batch))
         (bits (%pool-bits pool))
         (new (if bits (append-map (lambda (x) (%packed x bits)) (list k v))
                  (list k v)))
         (half (quotient (length new) 2)))
    (for-each (lambda (keys values k v)
                (tensor-paged-write! keys values k v (%batch-table batch)
                                     (%batch-starts batch)))
              (take (%layer-parts! pool layer new) half)
              (drop (%layer-parts! pool layer new) half)
              (take new half)
              (drop new half))))

(define (%read-pages batch layer k v)
  "A list of the keys and values of a layer, in pages, and of the table of these.
  Integers become floats for the pages of the batch only, like those last
  written, k and v."
  (let* ((pool (%batch-pool batch))
         (bits (%pool-bits pool))
         (table (%batch-table batch))
         (parts (vector-ref (%pool-layers pool) layer)))
    (if (not bits)
        (append parts (list table))
        (let ((index (tensor-to (tensor-flatten table)
                                (tensor-device (car parts)))))
          (append (%all-unpacked (map (lambda (part)
                                        (tensor-index-select part 0 index))
                                      parts)
                                 bits
                                 (list (tensor-size k -1)
                                       (tensor-size v -1)))
                  (list (tensor-reshape (tensor-arange (tensor-numel table)
                                                :device "cpu")
                                        (tensor-shape table))))))))

(define (%layer-parts! pool layer like)
  "The parts of a layer, which are created like the first ones that are written."
  (let ((layers (%pool-layers pool)))
    (unless (vector-ref layers layer)
      (vector-set! layers layer
                   (map (lambda (x) (%empty-pages pool x)) like)))
    (vector-ref layers layer)))

(define (%empty-pages pool like)
  "Pages [pages, kv-heads, page-size, d] for tensors [n, kv-heads, t, d]."
  (tensor-empty (list (%pool-pages pool) (tensor-size like 1)
                      (%pool-page-size pool) (tensor-size like 3))
                :dtype (tensor-dtype like) :device (tensor-device like)))

(define (%in-order pages table)
  "The keys or values of the one sequence of a table, [1, kv-heads, s, d]."
  (tensor-unsqueeze
   (tensor-flatten
    (tensor-transpose
     (tensor-index-select pages 0 (tensor-to (tensor-select table 0 0)
                                             (tensor-device pages)))
     0 1)
    1 2)
   0))
