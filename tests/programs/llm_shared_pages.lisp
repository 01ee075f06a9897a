;; Texts that begin alike share pages, and keys may lie in int8 or int4.

(manual-seed 7)
(define model
  (eval-mode! (llama :vocabulary 50 :width 32 :hidden 48 :layers 2 :heads 4
                     :kv-heads 2 :context 256)))
(no-grad (for-each (lambda (x) (tensor-mul! (detach x) 8.0))
                   (filter (lambda (x) (= (tensor-rank x) 2))
                           (parameters model))))
(define ids (map (lambda (k) (modulo (* k k) 47)) (iota 41)))
(define whole (no-grad (model (tensor (list ids)))))
(define (near? a b :within 1e-4)
  (< (tensor-item (tensor-max (tensor-abs (- a b)))) within))
(define (fed ids . sequences)
  (model (tensor (list ids)) :cache (paged-batch sequences)))

;; Whole pages are kept, and the last token is always left.
(define pool (paged-cache model :pages 10 :page-size 4))
(define a (paged-sequence pool))
(fed (take ids 10) a)
(print (sequence-keep! a (take ids 10)) (sequence-keep! a '(0))) ; => 2 2
(define b (paged-sequence pool))
(print (sequence-reuse! b (take ids 9)) (sequence-length b))     ; => 8 8
(define c (paged-sequence pool))
(print (sequence-reuse! c (take ids 8)))                         ; => 4
(print (paged-free-pages pool) (paged-kept-pages pool))          ; => 7 0
(print (near? (fed (take (drop ids 8) 5) b) (tensor-narrow whole 1 8 5)))
; => #t

;; Nothing writes into a page that others have.
(sequence-truncate! b 6)
(print (near? (fed '(9 9) b)
              (tensor-narrow (model (tensor (list (append (take ids 6) '(9 9)))))
                             1 6 2))
       (near? (fed (take (drop ids 10) 3) a) (tensor-narrow whole 1 10 3)))
; => #t #t

;; They stay when no sequence has them, until their place is needed.
(for-each sequence-free! (list a b c))
(print (paged-free-pages pool) (paged-kept-pages pool))          ; => 10 2
(define d (paged-sequence pool))
(print (sequence-reuse! d ids) (paged-kept-pages pool))          ; => 8 0
(sequence-free! d)
(define e (paged-sequence pool))
(fed (take ids 36) e)
(print (paged-free-pages pool) (paged-kept-pages pool))          ; => 1 1
(print (guard (e (#t (error-object-message e))) (fed (make-list 9 1) e)))
; => paged-cache: this call needs 3 more pages, and 1 of 10 are free
(print (guard (e (#t (error-object-message e))) (sequence-reuse! e ids)))
; => sequence-reuse!: the sequence has tokens already:

;; A batch engine does so for its requests.
(define (asked engine prompt . options)
  (let ((answer #f))
    (engine-submit! engine prompt (append options '((max-tokens . 10)))
                    (lambda (text result) (when result (set! answer result))))
    (engine-run! engine)
    answer))
(define (cached result)
  (cdr (assq 'cached-tokens (generation-statistics result))))
(define (alone prompt . options)
  (apply generate model #f prompt :max-tokens 10 :greedy #t options))
(define engine (batch-engine model #f :page-size 4 :pages 40))
(define first (asked engine ids '(greedy . #t)))
(define second (asked engine (append ids (generation-ids first) '(1 2))
                      '(greedy . #t)))
(print (cached first) (cached second)
       (equal? (generation-ids first) (alone ids)))              ; => 0 48 #t
(print (equal? (generation-ids second)
               (alone (append ids (generation-ids first) '(1 2)))))  ; => #t
(define other (asked (batch-engine model #f :share #f) ids '(greedy . #t)))
(print (equal? (generation-ids other) (alone ids)) (cached other)) ; => #t 0

;; Many texts, in little room: the pages are never more than the pool's.
(for-each
 (lambda (k)
   (let ((prompt (append (take ids (modulo (* 7 k) 30)) (list k (+ k 1)))))
     (unless (equal? (generation-ids (asked engine prompt '(greedy . #t)))
                     (alone prompt))
       (print "text" k "differs"))))
 (iota 20))
(define statistics (engine-statistics engine))
(print (cdr (assq 'used-pages statistics))
       (<= 0 (cdr (assq 'kept-pages statistics)) 40))            ; => 0 #t

;; Angles that depend on how long a text is: only texts of one kind share.
(define stretched
  (eval-mode! (new-llm `(("model_type" . "llama") ("vocab_size" . 50)
                         ("hidden_size" . 16) ("intermediate_size" . 16)
                         ("num_hidden_layers" . 1) ("num_attention_heads" . 2)
                         ("max_position_embeddings" . 20)
                         ("rope_scaling"
                          . ,(hash-table "rope_type" "dynamic"
                                         "factor" 8.0))))))
(define stretched-pool (paged-cache stretched :pages 20 :page-size 4))
(define (reused count)
  (let* ((sequence (paged-sequence stretched-pool :tokens count))
         (found (sequence-reuse! sequence (take ids count))))
    (stretched (tensor (list (take (drop ids found) (- count found))))
               :cache (paged-batch (list sequence)))
    (sequence-keep! sequence (take ids count))
    (sequence-free! sequence)
    found))
(print (map reused '(16 18 30 31 30)))                           ; => (0 16 0 0 28)

;; int8 and int4.
(define (coarse bits)
  (let* ((pool (paged-cache model :pages 20 :page-size 4 :bits bits))
         (sequence (paged-sequence pool))
         (short (paged-sequence pool))
         (cache (kv-cache model :bits bits))
         (one (fed (take ids 30) sequence))
         (last (begin
                 (fed (take ids 3) short)
                 (tensor-narrow
                  (model (tensor (list (list (list-ref ids 30)) '(5)))
                         :cache (paged-batch (list sequence short)))
                  0 0 1))))
    (list (near? one (model (tensor (list (take ids 30))) :cache cache))
          (near? last (model (tensor (list (list (list-ref ids 30))))
                             :cache cache))
          (near? one (tensor-narrow whole 1 0 30))
          (near? one (tensor-narrow whole 1 0 30) :within (if (= bits 8) 0.1 1.0)))))
(print (coarse 8) (coarse 4))              ; => (#t #t #f #t) (#t #t #f #t)
(print (map (lambda (bits) (length (alone ids :cache-bits bits))) '(8 4)))
; => (10 10)
(print (guard (e (#t (error-object-message e))) (kv-cache model :bits 3)))
; => kv-cache: expected 8, 4 or #f for bits, got 3
(print (guard (e (#t (error-object-message e)))
         (batch-engine model #f :cache-bits 2)))
; => paged-cache: expected 8, 4 or #f for bits, got 2

;; Drafts from the text itself change neither greedy nor sampled texts.
(define again (append ids ids ids))
(print (equal? (alone again :draft 'ngrams) (alone again)))      ; => #t
(define (drawn . options)
  (apply generate model #f again :max-tokens 30 :seed 4 options))
(print (equal? (drawn :draft 'ngrams) (drawn)))                  ; => #t
(define drafting (batch-engine model #f :draft 'ngrams))
(define drafted (asked drafting again '(greedy . #t)))
(print (equal? (generation-ids drafted) (alone again))
       (< (cdr (assq 'steps (engine-statistics drafting))) 10))  ; => #t #t
(define (with-draft draft)
  (generation-ids (asked (batch-engine model #f :draft draft) again
                         '(greedy . #t))))
(define small (eval-mode! (llama :vocabulary 50 :width 16 :hidden 24 :layers 1
                                 :heads 2 :context 100)))
(print (map (lambda (draft) (equal? (with-draft draft) (alone again)))
            (list small model)))                                 ; => (#t #t)
(print (guard (e (#t (error-object-message e)))
         (batch-engine model #f :draft 7)))
; => batch-engine: expected a model, or ngrams, for :draft, got 7

;; Without a page for a copy nothing changes.
(define tight (paged-cache model :pages 2 :page-size 4))
(define f (paged-sequence tight))
(fed (take ids 8) f)
(sequence-keep! f (take ids 8))
(define g (paged-sequence tight))
(print (sequence-reuse! g (take ids 9)))                         ; => 8
(print (guard (e (#t (substring (error-object-message e) 0 42)))
         (sequence-truncate! g 6)))
; => sequence-truncate!: the last page is share
(sequence-free! g)
(print (paged-free-pages tight))                                 ; => 0

;; A sequence without :tokens has the angles of the text that it begins with.
(print (sequence-reuse! (paged-sequence stretched-pool) (take ids 25))) ; => 0

;; A callback that cancels its request or another, while drafts are judged: each
;; ends once, and what is kept fits.
(define longer (eval-mode! (llama :vocabulary 50 :width 16 :hidden 24 :layers 1
                                  :heads 2 :context 256)))
(define told (append again (take (alone again) 4) '(7)))
(define (cancelled which . options)
  (let* ((engine (apply batch-engine model #f options)) (count 0) (ends '())
         (numbers '()))
    (define (submit! prompt on-token)
      (set! numbers
            (cons (engine-submit! engine prompt
                                  `((max-tokens . 8) (greedy . #t)
                                    (log-probabilities . 0)
                                    (on-token . ,on-token))
                                  (lambda (text result)
                                    (when result
                                      (set! ends (cons (generation-reason result)
                                                       ends)))))
                  numbers)))
    (submit! again
             (lambda (token p others)
               (set! count (+ count 1))
               (when (= count 4)
                 (engine-cancel! engine (list-ref numbers which)))))
    (unless (pair? options) (submit! '(4 5) list))
    (engine-run! engine)
    (list ends
          (equal? (generation-ids (asked engine told '(greedy . #t)))
                  (alone told)))))
(print (cancelled 0) (cancelled 1))
; => ((length stopped) #t) ((length stopped) #t)
(print (cancelled 0 :draft longer :draft-tokens 1 :page-size 1)
       (cancelled 0 :draft model :draft-tokens 6))
; => ((stopped) #t) ((stopped) #t)
