;; kept-pages.lisp - pages that are kept for texts that begin alike: system
;; prompts, chats that grow.
;;
;; A kept page is full, and known by its tokens and by all before them: it is a
;; node of a tree, whose root is the empty text.  Sequences share the pages of a
;; path from the root, and nothing writes into these.  A page without a sequence
;; stays until its place is needed; the one whose last use is longest ago goes
;; first, and always before those that it continues.
;;
;;     root - "You are a" - "helpful ..." - "Hello"
;;                                        - "What is"

(define-record-type %kept-pages
  (%make-kept-pages model roots states idle clock)
  %kept-pages?
  (model %kept-model)
  (roots %kept-roots)                            ; by %text-regime
  (states %kept-with-states %set-kept-with-states!)    ; pages, the latest first
  (idle %idle-kept-pages %set-idle-kept-pages!)  ; how many have no sequence
  (clock %kept-clock %set-kept-clock!))          ; counts uses

(define-record-type %kept-page
  (%make-kept-page tokens page parent depth children states users used)
  %kept-page?
  (tokens %kept-tokens)                          ; a list
  (page %kept-page-index)                        ; #f: the root
  (parent %kept-parent)
  (depth %kept-page-depth)                       ; pages before it, and itself
  (children %kept-children)                      ; by their tokens
  (states %kept-states %set-kept-states!)        ; at its end, or #f
  (users %kept-users %set-kept-users!)           ; sequences
  (used %kept-used %set-kept-used!))             ; when it was used last

(define (%new-kept-pages model)
  (%make-kept-pages model (make-hash-table) '() 0 0))

(define (sequence-reuse! sequence ids)
  "Let an empty sequence have the pages that sequence-keep! has kept for what a
  list of tokens begins with: how many tokens these are.  The last token is
  never among them, so that a call for the rest has logits."
  (%check-paged-sequence "sequence-reuse!" sequence)
  (%check-id-list "sequence-reuse!" ids)
  (unless (= 0 (%sequence-length sequence))
    (error "sequence-reuse!: the sequence has tokens already:"
           (%sequence-length sequence)))
  (let* ((pool (%sequence-pool sequence))
         (least (%sequence-least sequence))
         (path (%kept-path pool (if (= 0 least) (length ids) least) ids)))
    (when (pair? path)
      (for-each (lambda (node) (%use-kept! (%pool-kept pool) node 1)) path)
      (%tick! (%pool-kept pool))
      (%set-sequence-pages! sequence (map %kept-page-index path))
      (%set-sequence-tip! sequence (last path))
      (%set-sequence-length! sequence
                             (* (length path) (%pool-page-size pool)))
      (%set-sequence-states! sequence (%kept-states (last path))))
    (%sequence-length sequence)))

(define (sequence-keep! sequence ids)
  "Keep the full pages of a sequence for others that begin with the same tokens,
  also after sequence-free!, until their place is needed: how many pages of the
  sequence are kept.  ids: the tokens that it holds, a list, or the first of
  them.

  Layers that have states have none within a call: others can begin with a page
  only if this was called for a sequence that ended there."
  (%check-paged-sequence "sequence-keep!" sequence)
  (%check-id-list "sequence-keep!" ids)
  (let* ((pool (%sequence-pool sequence))
         (size (%pool-page-size pool))
         (depth (%kept-depth sequence))
         (whole (quotient (min (%keepable-tokens sequence) (length ids)) size))
         (limit (%shared-limit pool))
         (whole (if limit (min whole limit) whole)))
    (when (> whole depth)
      (%keep-more! sequence (drop ids (* depth size)) depth whole))
    (when (and (%sequence-states sequence)
               (> whole 0)
               (= (* whole size) (%sequence-length sequence)))
      (%keep-states! (%pool-kept pool) (%sequence-tip sequence)
                     (%sequence-states sequence)))
    (%kept-depth sequence)))

(define (paged-kept-pages pool)
  "How many pages of a pool are kept for later sequences, and no sequence has."
  (unless (paged-cache? pool)
    (wrong-type "paged-kept-pages" "a pool of paged-cache" pool))
  (%idle-kept-pages (%pool-kept pool)))

(define (%check-id-list who ids)
  (unless (and (list? ids) (every exact-integer? ids))
    (wrong-type who "a list of tokens" ids)))

;; Which pages fit.

(define (%kept-path pool least ids)
  "The kept pages that a list of tokens begins with, without the last token.
  least: tokens of the first text of the sequence."
  (let* ((size (%pool-page-size pool))
         (root (hash-ref (%kept-roots (%pool-kept pool))
                         (%text-regime (%kept-model (%pool-kept pool)) least)
                         #f)))
    (let loop ((node root) (ids ids) (left (- (length ids) 1)) (path '()))
      (let ((child (and node (>= left size)
                        (hash-ref (%kept-children node) (take ids size) #f))))
        (if child
            (loop child (drop ids size) (- left size) (cons child path))
            (%usable-path pool path))))))

(define (%usable-path pool path)
  "The pages of a path, the last first, that a sequence may begin with, the first
  first: all, but with states those to the last that has them."
  (let ((limit (%shared-limit pool)))
    (cond ((null? path) '())
          ((and (decoder-states (%kept-model (%pool-kept pool)))
                (not (%kept-states (car path))))
           (%usable-path pool (cdr path)))
          ((and limit (> (length path) limit))
           (%usable-path pool (cdr path)))
          (else (reverse path)))))

(define (%text-regime model tokens)
  "What the angles of the first text of a sequence depend on; texts of different
  regimes share nothing."
  (map (lambda (rotation) (%rope-regime rotation tokens))
       (%length-rotations model)))

(define (%length-rotations model)
  "The rotations of a model that depend on how long a text is."
  (filter (lambda (rotation) (and rotation (%rope-regime rotation 1 #t)))
          (cons (decoder-rotation model)
                (filter-map (lambda (entry)
                              (and (self-attention? (cdr entry))
                                   (not (eq? 'model (self-attention-rotation
                                                     (cdr entry))))
                                   (self-attention-rotation (cdr entry))))
                            (named-modules model)))))

(define (%keepable-tokens sequence)
  "How many tokens of a sequence others would compute in the same way: those
  after its first text have angles of their own if angles depend on lengths."
  (let* ((pool (%sequence-pool sequence))
         (whole (if (> (%sequence-dropped sequence) 0)
                    (* (%sequence-front sequence) (%pool-page-size pool))
                    (%sequence-length sequence))))
    (if (null? (%length-rotations (%kept-model (%pool-kept pool))))
        whole
        (min whole (%sequence-least sequence)))))

;; Using and keeping.

(define (%kept-depth sequence)
  "How many pages of a sequence are kept ones."
  (let ((tip (%sequence-tip sequence)))
    (if tip (%kept-page-depth tip) 0)))

(define (%tick! kept)
  (%set-kept-clock! kept (+ 1 (%kept-clock kept))))

(define (%use-kept! kept node change)
  "Add to the sequences of a kept page."
  (let* ((before (%kept-users node)) (after (+ before change)))
    (%set-kept-users! node after)
    (%set-kept-used! node (%kept-clock kept))
    (%set-idle-kept-pages! kept (+ (%idle-kept-pages kept)
                                   (cond ((= before 0) -1)
                                         ((= after 0) 1)
                                         (else 0))))))

(define (%keep-more! sequence ids depth whole)
  "Keep the pages of a sequence from the first that is not kept, with the tokens
  ids, to as many as are whole.  A page that is kept already replaces the
  sequence's own."
  (let* ((pool (%sequence-pool sequence))
         (kept (%pool-kept pool))
         (size (%pool-page-size pool)))
    (let loop ((k depth) (ids ids)
               (node (or (%sequence-tip sequence) (%root-of! sequence)))
               (pages (drop (%sequence-pages sequence) depth)) (now '()))
      (if (< k whole)
          (let ((child (%child! kept node (take ids size) (car pages))))
            (unless (= (%kept-page-index child) (car pages))
              (%give-pages! pool (list (car pages))))
            (%use-kept! kept child 1)
            (loop (+ k 1) (drop ids size) child (cdr pages)
                  (cons (%kept-page-index child) now)))
          (begin
            (%set-sequence-pages! sequence
                                  (append (take (%sequence-pages sequence)
                                                depth)
                                          (reverse now) pages))
            (%set-sequence-tip! sequence node))))
    (%touch-path! kept (%sequence-tip sequence))))

(define (%root-of! sequence)
  "The root of the texts that share pages with a sequence."
  (let* ((kept (%pool-kept (%sequence-pool sequence)))
         (regime (%text-regime (%kept-model kept) (%sequence-least sequence))))
    (unless (hash-ref (%kept-roots kept) regime #f)
      (hash-set! (%kept-roots kept) regime
                 (%make-kept-page '() #f #f 0 (make-hash-table) #f 0 0)))
    (hash-ref (%kept-roots kept) regime)))

(define (%child! kept node tokens page)
  "The page with those tokens after a node: one that is kept, or this one."
  (or (hash-ref (%kept-children node) tokens #f)
      (let ((child (%make-kept-page tokens page node
                                    (+ 1 (%kept-page-depth node))
                                    (make-hash-table) #f 0 0)))
        (hash-set! (%kept-children node) tokens child)
        (%set-idle-kept-pages! kept (+ 1 (%idle-kept-pages kept)))
        child)))

;; A page's states take as much memory as the keys of many pages, so only a few
;; have some: those that were kept last.

(define %most-kept-states 16)

(define (%keep-states! kept node states)
  "Let a kept page have the states at its end.  They are copied: those of a
  sequence are rows of a tensor that holds the states of its whole batch."
  (let ((copies (vector-map (lambda (parts) (and parts (map tensor-clone parts)))
                            states))
        (others (remove (lambda (other) (eq? other node))
                        (%kept-with-states kept))))
    (%set-kept-states! node copies)
    (for-each (lambda (old) (%set-kept-states! old #f))
              (drop others (min (length others) (- %most-kept-states 1))))
    (%set-kept-with-states!
     kept (cons node (take others (min (length others)
                                       (- %most-kept-states 1)))))))

(define (%touch-path! kept tip)
  "Note that a page and those before it have been used."
  (%tick! kept)
  (let loop ((node tip))
    (when (and node (%kept-page-index node))
      (%set-kept-used! node (%kept-clock kept))
      (loop (%kept-parent node)))))

(define (%has-kept-alone? sequence depth)
  "Whether a kept page after that many is in no other sequence."
  (let loop ((node (%sequence-tip sequence)))
    (and node
         (> (%kept-page-depth node) depth)
         (or (= 1 (%kept-users node)) (loop (%kept-parent node))))))

(define (%release-kept! sequence depth)
  "Let a sequence have only that many kept pages."
  (let ((kept (%pool-kept (%sequence-pool sequence))))
    (%tick! kept)
    (let loop ((node (%sequence-tip sequence)))
      (if (and node (> (%kept-page-depth node) depth))
          (begin (%use-kept! kept node -1)
                 (loop (%kept-parent node)))
          (begin (%set-sequence-tip! sequence
                                     (and node (%kept-page-index node) node))
                 (%touch-path! kept node))))))

;; Giving up.

(define (%evicted-pages! kept count)
  "At least so many pages that no sequence has, which are no longer kept; all if
  there are fewer.  More than that saves searching for them each time."
  (let* ((idle (sort (%idle-pages kept) %earlier-use?))
         (n (min (length idle) (max count (quotient (length idle) 8)))))
    (for-each (lambda (node)
                (%set-kept-states! node #f)
                (hash-delete! (%kept-children (%kept-parent node))
                              (%kept-tokens node)))
              (take idle n))
    (%set-kept-with-states! kept (filter %kept-states
                                         (%kept-with-states kept)))
    (%drop-empty-roots! kept)
    (%set-idle-kept-pages! kept (- (%idle-kept-pages kept) n))
    (map %kept-page-index (take idle n))))

(define (%drop-empty-roots! kept)
  "Forget the regimes of which no page is left."
  (let ((roots (%kept-roots kept)))
    (for-each (lambda (regime)
                (when (= 0 (hash-size (%kept-children (hash-ref roots regime))))
                  (hash-delete! roots regime)))
              (hash-keys roots))))

(define (%earlier-use? a b)
  "Whether a goes before b: a page is used whenever one after it is."
  (if (= (%kept-used a) (%kept-used b))
      (> (%kept-page-depth a) (%kept-page-depth b))
      (< (%kept-used a) (%kept-used b))))

(define (%idle-pages kept)
  "The kept pages that no sequence has."
  (let loop ((nodes (hash-values (%kept-roots kept))) (idle '()))
    (if (null? nodes)
        idle
        (loop (append (hash-values (%kept-children (car nodes))) (cdr nodes))
              (if (and (%kept-page-index (car nodes))
                       (= 0 (%kept-users (car nodes))))
                  (cons (car nodes) idle)
                  idle)))))
