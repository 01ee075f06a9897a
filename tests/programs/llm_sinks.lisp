;; Caches with sinks: the first tokens and a window of the last ones stay, in
;; whatever parts a text comes, and texts are longer than the model's context.

(manual-seed 7)
(define model
  (eval-mode! (llama :vocabulary 50 :width 32 :hidden 48 :layers 2 :heads 4
                     :kv-heads 2 :context 128)))
(no-grad (for-each (lambda (x) (tensor-mul! (detach x) 8.0))
                   (filter (lambda (x) (= (tensor-rank x) 2))
                           (parameters model))))
(define long (tensor-randint 50 '(1 400)))

(define (near? a b :within 1e-4)
  (< (tensor-item (tensor-max (tensor-abs (- a b)))) within))
(define (in-steps call sizes)
  (let loop ((start 0) (sizes sizes) (found '()))
    (if (null? sizes)
        (tensor-cat (reverse found) 1)
        (loop (+ start (car sizes)) (cdr sizes)
              (cons (call (tensor-narrow long 1 start (car sizes))) found)))))
(define (cached cache) (lambda (ids) (model ids :cache cache)))
(define ones (make-list 400 1))
(define sizes (append '(90 1 1 40 100) (make-list 168 1)))

;; No sinks are a window; sinks that are never passed change nothing.
(define windowed (in-steps (cached (kv-cache model :window 5)) sizes))
(print (near? (in-steps (cached (kv-cache model :window 5 :sinks 0)) sizes)
              windowed))                                        ; => #t
(define short (tensor-narrow long 1 0 60))
(print (near? (model short :cache (kv-cache model :window 50 :sinks 10))
              (no-grad (model short))))                         ; => #t

;; One by one, in parts, in pages, in a cache with sinks.
(define cache (kv-cache model :window 5 :sinks 3))
(define expected (in-steps (cached cache) ones))
(print (near? expected windowed))                               ; => #f
(print (near? (in-steps (cached (kv-cache model :window 5 :sinks 3)) sizes)
              expected))                                        ; => #t
(print (cache-length cache) (quotient (cache-bytes cache) 256)) ; => 400 128
(print (near? (in-steps (cached (kv-cache model :window 5 :sinks 3 :bits 8))
                        sizes)
              expected :within 1.0))                            ; => #t
(define pool (paged-cache model :pages 30 :page-size 4 :window 5 :sinks 3))
(define (in-pages sequence)
  (lambda (ids) (model ids :cache (paged-batch (list sequence)))))
(define first (paged-sequence pool))
(print (near? (in-steps (in-pages first) ones) expected)
       (- 30 (paged-free-pages pool)))                          ; => #t 3
(define second (paged-sequence pool))
(print (near? (in-steps (in-pages second) sizes) expected))     ; => #t

;; Two sequences of different lengths in a call.
(define third (paged-sequence pool))
((in-pages third) (tensor-narrow long 1 0 20))
(define both
  (model (tensor-cat (list (tensor-narrow long 1 7 1) (tensor-narrow long 1 20 1))
                     0)
         :cache (paged-batch (list first third))))
(print (near? (tensor-narrow both 0 1 1) (tensor-narrow expected 1 20 1))) ; => #t
(define copy (copy-cache cache))
(print (near? (tensor-narrow both 0 0 1)
              (model (tensor-narrow long 1 7 1) :cache copy)))  ; => #t

;; Going back a few tokens, not to those that are gone.
(cache-truncate! cache 390)
(print (near? (model (tensor-narrow long 1 390 10) :cache cache)
              (tensor-narrow expected 1 390 10)))               ; => #t
(print (guard (e (#t (error-object-message e))) (cache-truncate! cache 50)))
; => cache-truncate!: cannot go back to 50 tokens: with a window of 5, the keys before position 283 are gone
(sequence-truncate! second 399)
(print (near? ((in-pages second) (tensor-narrow long 1 399 1))
              (tensor-narrow expected 1 399 1)))                ; => #t
(print (guard (e (#t (error-object-message e))) (sequence-truncate! second 300)))
; => sequence-truncate!: cannot go back to 300 tokens: with a window of 5, the keys before position 392 are gone
(sequence-truncate! second 0)
(print (near? ((in-pages second) (tensor-narrow long 1 0 9))
              (tensor-narrow expected 1 0 9)))                  ; => #t

;; Generation: longer than the context, alone and in an engine.
(define prompt (tensor->list (tensor-select (tensor-narrow long 1 0 200) 0 0)))
(define options '(:window 20 :sinks 4 :max-tokens 150 :greedy #t))
(define text (apply generate model #f prompt options))
(print (length text)
       (equal? text (apply generate model #f prompt :prefill 7 options))) ; => 150 #t
(print (equal? (list text (apply generate model #f '(1 2 3) options))
               (apply generate model #f (list prompt '(1 2 3)) options))) ; => #t
(print (equal? text (apply generate model #f prompt :draft 'ngrams options))
       (equal? text (apply generate model #f prompt :draft model options))) ; => #t #t
(define best (apply generate-result model #f '(1 2 3) :beams 3 :count 2
                    '(:window 20 :sinks 4 :max-tokens 140)))
(print (map (lambda (one) (length (generation-ids one))) best)) ; => (140 140)
(define kept (apply generate-result model #f prompt :keep-cache #t options))
(define after (append prompt (generation-ids kept) '(5)))
(print (equal? (apply generate model #f after :cache (generation-cache kept) options)
               (apply generate model #f after options)))        ; => #t

(define engine (batch-engine model #f :window 20 :sinks 4 :page-size 4 :prefill 32
                             :max-batch 2 :draft 'ngrams))
(define (submit! prompt count)
  (engine-submit! engine prompt (list (cons 'max-tokens count) '(greedy . #t))
                  (lambda (text result)
                    (when result
                      (print (equal? (generation-ids result)
                                     (generate model #f prompt :window 20 :sinks 4
                                               :max-tokens count :greedy #t)))))))
(submit! prompt 150)
(submit! '(1 2 3) 60)
(submit! (take prompt 30) 40)
(engine-run! engine)
; => #t
; => #t
; => #t
(submit! (append (take prompt 24) '(9 9)) 5)
(engine-run! engine)  ; => #t
(print (< (cdr (assq 'used-pages (engine-statistics engine))) 20)) ; => #t

;; A model drafts beyond its context, too: as the same model it is always right.
(define drafted (batch-engine model #f :window 20 :sinks 4 :page-size 4 :draft model))
(define steps 0)
(engine-submit! drafted prompt '((max-tokens . 150) (greedy . #t))
                (lambda (part result)
                  (when result (print (equal? (generation-ids result) text)))))
(let loop ()
  (when (< 0 (+ (engine-running drafted) (engine-waiting drafted)))
    (set! steps (+ steps 1))
    (engine-step! drafted)
    (loop)))
; => #t
(print (< steps 60))                                            ; => #t

;; What does not go.
(define (try thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(try (lambda () (kv-cache model :sinks 4)))
; => kv-cache: sinks are kept beside a window, and there is none
(try (lambda () (kv-cache model :window 4 :sinks -1)))
; => kv-cache: expected a non-negative integer for sinks, got -1
(try (lambda () (kv-cache model :window 125 :sinks 4)))
; => kv-cache: sinks do not go with this model: with the window they are 129 tokens, and its context is 128
(try (lambda () (model (tensor-narrow long 1 0 3) :padding (tensor '(1))
                       :cache (kv-cache model :window 5 :sinks 1))))
; => language model: a cache with sinks takes no :padding, which would be them
(try (lambda () (generate model #f '(1) :sinks 4)))
; => generation-settings: :sinks are kept beside a :window, and there is none
(try (lambda () (generate model #f '(1 2) :cache (generation-cache kept))))
; => generate: :cache was made with :window 20, and :window is #f
(try (lambda () (batch-engine model #f :window 20 :sinks 4 :pages 3)))
; => batch-engine: 3 pages do not hold a text with this window
(try (lambda () (batch-engine model #f :window 20 :sinks 4
                              :draft (new-llm '(("model_type" . "llama") ("vocab_size" . 50)
                                                ("hidden_size" . 16) ("num_attention_heads" . 2)
                                                ("intermediate_size" . 16)
                                                ("num_hidden_layers" . 1)
                                                ("max_position_embeddings" . 20))))))
; => batch-engine: the model of :draft cannot have a cache with :sinks or :window: with the window they are 24 tokens, and its context is 20
(try (lambda () (engine-submit! engine '(1 2) '((window . 4)) #f)))
; => engine-submit!: a request does not take :beams, :draft, :cache, :window or :count
(define (other . settings)
  (new-llm (append settings '(("vocab_size" . 50) ("num_hidden_layers" . 2)))))
(try (lambda ()
       (kv-cache (other '("model_type" . "gpt2") '("n_embd" . 16) '("n_head" . 2)
                        '("n_layer" . 1) '("n_positions" . 64))
                 :window 5 :sinks 1)))
; => kv-cache: sinks do not go with this model: it has learned positions, which are added to tokens before any cache
(try (lambda ()
       (kv-cache (other '("model_type" . "mamba2") '("hidden_size" . 16)
                        '("num_heads" . 4) '("head_dim" . 8) '("n_groups" . 1)
                        '("state_size" . 8))
                 :window 5 :sinks 1)))
; => kv-cache: the layers of the model have states, and no windows
(try (lambda ()
       (kv-cache (other '("model_type" . "llama") '("hidden_size" . 16)
                        '("num_attention_heads" . 2) '("intermediate_size" . 16)
                        '("max_position_embeddings" . 64)
                        (cons "rope_scaling"
                              (string->json
                               "{\"rope_type\": \"dynamic\", \"factor\": 2}")))
                 :window 5 :sinks 1)))
; => kv-cache: sinks do not go with this model: it rotates long texts by other angles than short ones
