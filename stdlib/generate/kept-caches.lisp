;; kept-caches.lisp - what a generation leaves for the next one.
;;
;; A chat's next prompt begins with the last prompt and its reply.  A kept cache
;; knows which tokens it holds; the next call truncates it to those that both
;; begin with, and computes only the others.  A state cannot be truncated: then
;; all are computed again, unless the prompt begins with all of them.

(define-record-type <kept-cache>
  (%make-kept-cache model-run ids)
  kept-cache?
  (model-run %kept-run)
  (ids %kept-ids %set-kept-ids!))     ; the tokens in its cache

(define (%usable-cache model prompts settings)
  "The kept cache that the settings name, if it fits; #f for none."
  (let ((kept (%settings-cache settings)))
    (when kept
      (unless (kept-cache? kept)
        (wrong-type "generate" "the generation-cache of a result for :cache"
                    kept))
      (unless (eq? model (%model-run-model (%kept-run kept)))
        (error "generate: :cache belongs to another model"))
      (unless (and (= 1 (length prompts)) (= 1 (%settings-count settings)))
        (error "generate: :cache is for a single prompt and text"))
      (%check-same-window (%model-run-cache (%kept-run kept)) settings))
    kept))

(define (%check-same-window cache settings)
  "Raise an error if a cache forgets other tokens than the settings say."
  (when cache
    (for-each (lambda (name had wanted)
                (unless (equal? had wanted)
                  (error (format "generate: :cache was made with :~a ~a, and :~a \
is ~a" name had name wanted))))
              '("window" "sinks")
              (list (%cache-window cache) (%cache-sinks cache))
              (list (%settings-window settings) (%settings-sinks settings)))))

(define (%new-tokens! kept prompt)
  "Truncate the cache to what the prompt begins with: the tokens left."
  (let* ((n (min (%common-tokens (%kept-ids kept) prompt)
                 (- (length prompt) 1)))
         (n (if (%model-run-goes-back? (%kept-run kept) n) n 0)))
    (%model-run-truncate! (%kept-run kept) n)
    (%set-kept-ids! kept (take prompt n))
    (drop prompt n)))

(define (%common-tokens a b)
  "How many elements two lists begin with in common."
  (let loop ((a a) (b b) (n 0))
    (if (and (pair? a) (pair? b) (= (car a) (car b)))
        (loop (cdr a) (cdr b) (+ n 1))
        n)))

(define (%kept-after model-run run)
  "The cache as a text leaves it: without the last token, which was not fed."
  (let* ((all (append (%text-run-prompt run) (reverse (%text-run-ids run)))))
    (%make-kept-cache model-run (take all (min (length all)
                                             (%model-run-length model-run))))))
