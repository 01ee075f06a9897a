;; cache-stores.lisp - where a cache keeps the keys and values of a layer.
;;
;; A store has several tensors, its parts, [n, kv-heads, capacity, ...]: keys
;; and values, and in int8 or int4 the scales of each (packed-keys.lisp).  Slot i
;; of all parts belongs to position first + i.  New elements are written in place.
;; A full store grows to twice its size; with a window, it drops what no later
;; query sees, once that is a third of it.  With sinks (sink-attention.lisp) the
;; first slots stay, and slot i of the others belongs to position first + i.

;; The store of a layer that has a state instead has the tensors of the state as
;; its parts, and those of the next state while a call runs.

(define-record-type %store
  (%make-store parts first window sinks next)
  %store?
  (parts %store-parts %set-store-parts!)         ; '() before any
  (first %store-first %set-store-first!)
  (window %store-window %set-store-window!)
  (sinks %store-sinks %set-store-sinks!)         ; how many slots always stay
  (next %store-next %set-store-next!))           ; parts, or #f; #t: a state's

;; How many keys before the window are kept, so that a few tokens can be
;; forgotten again, as drafts of a smaller model are.
(define %window-slack 64)

(define (%new-stores count)
  (list->vector (map (lambda (k) (%make-store '() 0 #f 0 #f)) (range count))))

(define (%copy-store store)
  (%make-store (map tensor-copy (%store-parts store))
               (%store-first store) (%store-window store)
               (%store-sinks store)
               (and (%store-next store) #t)))

(define (%finish-store! store)
  "Let the next state of a layer that has one be its state."
  (when (pair? (%store-next store))
    (%set-store-parts! store (%store-next store))
    (%set-store-next! store #t)))

(define (%reset-store! store)
  "Forget all tokens."
  (%set-store-first! store 0)
  (when (%store-next store)
    (%set-store-parts! store '())
    (%set-store-next! store #f)))

(define (%store-bytes store)
  (fold (lambda (part sum)
          (+ sum (* (tensor-numel part) (tensor-element-size part))))
        0 (%store-parts store)))

(define (%store-select! store index)
  "Keep the rows that an index [m] names."
  (%set-store-parts! store (map (lambda (part) (%selected-rows part index))
                                (%store-parts store))))

(define (%selected-rows x index)
  "The rows of x that an index on any device names."
  (tensor-index-select x 0 (tensor-to index (tensor-device x))))

(define (%check-truncation store n length)
  "Raise an error if keys that position n sees are gone, or if there is a state
  of more tokens."
  (when (%state-after? store n length)
    (%error-with-hint
     (format "cache-truncate!: cannot go back to ~a of ~a tokens: the layers of \
the model have states, not keys" n length)
     '() "keep a copy-cache from before, or run the tokens again"))
  (unless (%store-goes-back? store n length)
    (%error-with-hint
     (format "cache-truncate!: cannot go back to ~a tokens: with a window of \
~a, the keys before position ~a are gone" n (%store-window store)
             (%store-begin store))
     '() "keep a copy-cache from before, or run the tokens again")))

(define (%store-goes-back? store n length)
  "Whether a store has what position n needs."
  (and (not (%state-after? store n length))
       (<= (%store-begin store)
           (max 0 (- n (or (%store-window store) n))))))

(define (%store-begin store)
  "The first position after which none has been dropped."
  (if (= 0 (%store-first store))
      0
      (+ (%store-first store) (%store-sinks store))))

(define (%state-after? store n length)
  "Whether a store has a state of more than n tokens, but not none."
  (and (%store-next store) (< 0 n length)))

(define (%store-capacity store)
  (let ((parts (%store-parts store)))
    (if (null? parts) 0 (tensor-size (car parts) 2))))

(define (%store-read store slots)
  "The first slots of the parts."
  (map (lambda (part) (tensor-narrow part 2 0 slots))
       (%store-parts store)))

(define (%store-room! store like start count limit window sinks)
  "The slot of position start, after which there is room for count positions.
  like: tensors as the parts are to be, [n, kv-heads, t, d].  limit: of all
  tokens, or #f.  sinks: how many of the first stay, whatever the window."
  (%set-store-window! store window)
  (%set-store-sinks! store sinks)
  (when (> (+ (- start (%store-first store)) count) (%store-capacity store))
    (%make-room! store like start count limit window))
  (- start (%store-first store)))

(define (%store-write! store new slot)
  "Copy new elements [n, kv-heads, t, ...] to the parts, from a slot on."
  (for-each (lambda (part x)
              (tensor-copy! (tensor-narrow part 2 slot (tensor-size x 2)) x))
            (%store-parts store) new))

(define (%make-room! store like start t limit window)
  "Let a store have slots for t more positions from start."
  (let* ((slots (- start (%store-first store)))
         (capacity (%store-capacity store))
         (sinks (%store-sinks store))
         (drop (if window
                   (max 0 (- slots (+ sinks window %window-slack)))
                   0))
         (needed (+ (- slots drop) t)))
    (%set-store-parts!
     store
     (if (and (> (* 3 drop) capacity) (<= needed capacity))
         (map (lambda (part)
                (%moved-down! part sinks drop (- slots drop sinks)))
              (%store-parts store))
         (%grown like (%store-parts store) sinks drop (- slots drop)
                 (%next-capacity needed capacity limit))))
    (%set-store-first! store (+ (%store-first store) drop))))

(define (%next-capacity needed capacity limit)
  "How many slots a store gets: all that it may ever need, if that is known."
  (if (and limit (= capacity 0))
      limit
      (let ((twice (max needed (* 2 capacity) 64)))
        (if limit (max needed (min twice limit)) twice))))

(define (%moved-down! part sinks drop count)
  "The part, in which `drop` slots after the sinks are gone, and count slots
  after those have their place."
  (tensor-copy! (tensor-narrow part 2 sinks count)
                (tensor-copy (tensor-narrow part 2 (+ sinks drop) count)))
  part)

(define (%grown parts kept sinks drop count capacity)
  "Parts with that capacity, like the new parts, with count slots of the kept
  ones: the sinks, and those after `drop` others.  The other slots take no memory
  until they are written."
  (let loop ((parts parts) (kept kept) (grown '()))
    (if (null? parts)
        (reverse grown)
        (let* ((like (car parts))
               (part (tensor-empty (list (tensor-size like 0)
                                         (tensor-size like 1)
                                         capacity (tensor-size like 3))
                                   :dtype (tensor-dtype like)
                                   :device (tensor-device like))))
          (when (and (pair? kept) (> count 0))
            (let ((sinks (min sinks count)))
              (tensor-copy! (tensor-narrow part 2 0 sinks)
                            (tensor-narrow (car kept) 2 0 sinks))
              (tensor-copy! (tensor-narrow part 2 sinks (- count sinks))
                            (tensor-narrow (car kept) 2 (+ sinks drop)
                                           (- count sinks)))))
          (loop (cdr parts) (if (pair? kept) (cdr kept) '())
                (cons part grown))))))
