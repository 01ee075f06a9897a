;; Caches of language models: whatever is kept in one, and in whatever order, a
;; call returns the logits of the whole text.

(manual-seed 7)
(define model
  (eval-mode! (llama :vocabulary 50 :width 32 :hidden 48 :layers 2 :heads 4
                     :kv-heads 2 :context 128)))
(no-grad (for-each (lambda (x) (tensor-mul! (detach x) 8.0))
                   (filter (lambda (x) (= (tensor-rank x) 2))
                           (parameters model))))
(define ids (tensor-randint 50 '(2 20)))
(define whole (no-grad (model ids)))

(define (near? a b :within 1e-4)
  (< (tensor-item (tensor-max (tensor-abs (- a b)))) within))
(define (part start end) (tensor-slice ids 1 start end))
(define (logits start end) (tensor-slice whole 1 start end))

;; Growing, and preallocated.
(define cache (kv-cache model :batch 2))
(print (near? (model (part 0 9) :cache cache) (logits 0 9)))    ; => #t
(print (near? (model (part 9 10) :cache cache) (logits 9 10)))  ; => #t
(print (cache-length cache) (cache-batch cache) (cache-bytes cache))
; => 10 2 32768
(define fixed (kv-cache model :batch 2 :length 20))
(print (near? (model ids :cache fixed) whole) (cache-bytes fixed)) ; => #t 10240
(print (requires-grad? (model (part 0 1) :cache (kv-cache model :batch 2))))
; => #f

;; Forgetting, copies, and other rows.
(define copy (copy-cache cache))
(cache-truncate! cache 4)
(print (near? (model (part 4 12) :cache cache) (logits 4 12)))  ; => #t
(print (cache-length copy) (cache-length cache))                ; => 10 12
(print (near? (model (part 10 20) :cache copy :last #t) (logits 19 20))) ; => #t
(cache-select! cache '(1 1 0))
(define selected (model (tensor-index-select (part 12 13) 0 (tensor '(1 1 0)))
                        :cache cache))
(print (near? selected (tensor-index-select (logits 12 13) 0 (tensor '(1 1 0)))))
; => #t
(print (cache-length (cache-reset! cache)))                     ; => 0

;; int8: nearly the same in less memory.
(define small (kv-cache model :batch 2 :length 20 :bits 8))
(define coarse
  (tensor-cat (list (model (part 0 15) :cache small)
                    (model (part 15 20) :cache small))
              1))
(print (near? coarse whole) (near? coarse whole :within 0.3))   ; => #f #t
(print (< (cache-bytes small) (* 0.4 (cache-bytes fixed))))     ; => #t

;; int4, also of heads of an odd size, whose vectors are filled up.
(define (by-bits model bits)
  (let ((cache (kv-cache model :batch 2 :bits bits)))
    (tensor-cat (list (model (part 0 15) :cache cache)
                      (model (part 15 20) :cache cache))
                1)))
(print (near? (by-bits model 4) whole :within 1.0))             ; => #t
(define (odd-heads size)
  (let ((config (make-hash-table)))
    (for-each (lambda (entry) (hash-set! config (car entry) (cdr entry)))
              `(("model_type" . "gpt2") ("vocab_size" . 50) ("n_positions" . 64)
                ("n_embd" . ,(* 2 size)) ("n_layer" . 2) ("n_head" . 2)))
    (eval-mode! (new-llm config))))
(for-each
 (lambda (size)
   (let* ((other (odd-heads size)) (floats (by-bits other #f)))
     (print size
            (near? (by-bits other 4) floats :within 0.05)
            (near? (by-bits other 4) floats))))
 '(5 33))
; => 5 #t #f
; => 33 #t #f

;; A window: as if each token saw only the last five, in bounded memory.
(define (windowed-model)
  (let ((other (copy-module model)))
    (for-each (lambda (layer)
                (set-self-attention-window! (decoder-layer-self-attn layer) 5))
              (decoder-layers other))
    other))
(define other (windowed-model))
(define long (tensor-randint 50 '(1 400)))
(define expected (no-grad (other long)))
(define (in-steps model cache sizes)
  (let loop ((start 0) (sizes sizes) (found '()))
    (if (null? sizes)
        (tensor-cat (reverse found) 1)
        (loop (+ start (car sizes)) (cdr sizes)
              (cons (model (tensor-narrow long 1 start (car sizes)) :cache cache)
                    found)))))
(define window (kv-cache model :window 5))
(define sizes (append '(90 1 1 40 100) (make-list 168 1)))
(print (near? (in-steps model window sizes) expected))          ; => #t
(print (near? (in-steps other (kv-cache other) sizes) expected)) ; => #t
(print (near? (in-steps other (kv-cache other :bits 8) sizes) expected
              :within 0.4))                                     ; => #t
(print (cache-length window)
       (quotient (cache-bytes window) 256))              ; => 400 360
(cache-truncate! window 390)
(print (near? (model (tensor-slice long 1 390 400) :cache window)
              (tensor-slice expected 1 390 400)))               ; => #t
(print (guard (e (#t (error-object-message e))) (cache-truncate! window 50)))
; => cache-truncate!: cannot go back to 50 tokens: with a window of 5, the keys before position 63 are gone

;; Pages: sequences of different lengths in one pool.
(define pool (paged-cache model :pages 9 :page-size 4))
(define (row k start end) (tensor-slice (tensor-narrow ids 0 k 1) 1 start end))
(define (row-logits k start end)
  (tensor-slice (tensor-narrow whole 0 k 1) 1 start end))
(define a (paged-sequence pool))
(define b (paged-sequence pool))
(print (near? (model (row 0 0 10) :cache (paged-batch (list a)))
              (row-logits 0 0 10)))                             ; => #t
(model (row 1 0 3) :cache (paged-batch (list b)))
(print (near? (model (row 1 3 7) :cache (paged-batch (list b)))
              (row-logits 1 3 7)))                              ; => #t
(define (both i j)
  (near? (model (tensor-cat (list (row 1 i (+ i 1)) (row 0 j (+ j 1))) 0)
                :cache (paged-batch (list b a)))
         (tensor-cat (list (row-logits 1 i (+ i 1)) (row-logits 0 j (+ j 1)))
                     0)))
(print (map both '(7 8 9 10) '(10 11 12 13)))                   ; => (#t #t #t #t)
(print (sequence-length a) (sequence-length b) (paged-free-pages pool))
; => 14 11 2
(sequence-truncate! a 6)
(print (near? (model (row 0 6 7) :cache (paged-batch (list a)))
              (row-logits 0 6 7))
       (paged-free-pages pool))                                 ; => #t 4
(sequence-free! b)
(define c (paged-sequence pool))
(print (near? (model (row 1 0 20) :cache (paged-batch (list c)))
              (row-logits 1 0 20)))                             ; => #t
(print (guard (e (#t (error-object-message e)))
         (model (row 0 7 20) :cache (paged-batch (list a)))))
; => paged-cache: this call needs 3 more pages, and 2 of 9 are free
(print (sequence-length a))                                     ; => 7

;; Padding at the left, remembered by a cache.
(define padded (tensor-cat (list (tensor-zeros 1 3 :dtype 'int64) (row 0 0 10))
                           1))
(define rows (tensor-cat (list padded (row 1 0 13)) 0))
(define padding (tensor '(3 0)))
(define left (kv-cache model :batch 2))
(define first (model rows :cache left :padding padding))
(print (near? (tensor-slice (tensor-narrow first 0 0 1) 1 3 13) (row-logits 0 0 10))
       (near? (tensor-narrow first 0 1 1) (row-logits 1 0 13))) ; => #t #t
(define next (model (tensor-cat (list (row 0 10 11) (row 1 13 14)) 0) :cache left))
(print (near? next (tensor-cat (list (row-logits 0 10 11) (row-logits 1 13 14))
                               0)))                             ; => #t

;; Looking inside.
(define scores (attention-scores model (part 0 6) 1))
(print (tensor-shape scores)
       (near? (tensor-sum scores -1) (tensor-ones 2 4 6)))      ; => (2 4 6 6) #t
(print (tensor-item (tensor-select (tensor-select (tensor-select (tensor-select scores 0 0) 0 0)
                                                  0 2) 0 3)))   ; => 0.0
(define shown (attention-scores model rows 0 :padding padding))
(print (tensor-item (tensor-sum (tensor-slice (tensor-slice (tensor-narrow shown 0 0 1)
                                                            2 3 13) 3 0 3))))
; => 0.0
(print (tensor-shape (hidden-states model ids)))                ; => (2 20 32)
(print (near? ((decoder-lm-head model) (hidden-states model ids)) whole)) ; => #t
(print (language-model? model) (language-model? (linear 1 1)) (model-context model)
       (model-dtype model) (config-ref model "hidden_size") (config-ref model "none" 3))
; => #t #f 128 float32 32 3

;; Dropout acts in training only.
(define random
  (new-llm '(("model_type" . "llama") ("vocab_size" . 50) ("hidden_size" . 16)
             ("intermediate_size" . 16) ("num_hidden_layers" . 1)
             ("num_attention_heads" . 2) ("attention_dropout" . 0.5)
             ("initializer_range" . 0.5))))
(print (equal? (random ids) (random ids)))                      ; => #f
(print (guard (e (#t (error-object-message e)))
         (random ids :cache (kv-cache random :batch 2))))
; => language model: a model in training takes no cache; call eval-mode! first
(eval-mode! random)
(print (equal? (random ids) (random ids)))                      ; => #t

;; float16 and float64 calculate alike.
(print (map (lambda (dtype)
              (let ((model (eval-mode! (llama :vocabulary 50 :width 16 :hidden 16
                                              :layers 1 :heads 2 :dtype dtype))))
                (list (tensor-dtype (model ids))
                      (near? (model ids :cache (kv-cache model :batch 2)
                                    :last #t)
                             (model ids :last #t) :within 1e-2))))
            '(float16 bfloat16 float64)))
; => ((float16 #t) (bfloat16 #t) (float64 #t))

;; A scaling that stretches the context while the model runs.
(print (model-context
        (new-llm (list '("model_type" . "llama") '("vocab_size" . 5)
                       '("hidden_size" . 4) '("intermediate_size" . 4)
                       '("num_hidden_layers" . 1) '("num_attention_heads" . 1)
                       '("max_position_embeddings" . 8)
                       (cons "rope_scaling"
                             (string->json "{\"type\": \"dynamic\", \"factor\": 4}"))))))
; => 32
