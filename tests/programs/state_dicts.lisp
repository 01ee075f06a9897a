; load-state-dict!: names, rules, ties; save-model with the same rules.
(define path (string "/tmp/lambent-state-dict-" (random 1000000000)))
(define (refusal thunk)
  (guard (e (#t (print (string-join (string-split (error-object-message e) path) "PATH")))) (thunk)))
(define (row n x) (tensor-full (list n 2) x))
(define (all n x) (tensor-full (list n) x))

(define-module (attention width)
  ((qkv (linear width 6)) (steps (tensor 0) :buffer))
  (forward (x) (qkv x)))
(define-module (block)
  ((attn (attention 2)) (up (linear 2 3 :bias #f)) (gate (linear 2 3 :bias #f)))
  (forward (x) (up (attn x))))

; Fused here, split there; and renamed around that.
(define b (block))
(define saved
  (list (cons "h.self.q.weight" (row 3 1.0)) (cons "h.self.k.weight" (row 2 2.0)) (cons "h.self.v.weight" (row 1 3.0))
        (cons "h.self.q.bias" (all 3 1.0)) (cons "h.self.k.bias" (all 2 2.0)) (cons "h.self.v.bias" (all 1 3.0))
        (cons "h.self.steps" (tensor 7)) (cons "h.up.weight" (row 3 4.0)) (cons "h.gate.weight" (row 3 5.0))))
(define rules '((qkv :from (q k v) :sizes (3 2 1)) (attn :from self)))
(print (load-state-dict! b saved :prefix "h." :rules rules)) ; => ((missing) (unexpected))
(print (attention-steps (block-attn b)) (linear-bias (module-at b "attn.qkv"))) ; => 7 [1.0 1.0 1.0 2.0 2.0 3.0]
(print (linear-weight (module-at b "attn.qkv"))) ; => [[1.0 1.0] [1.0 1.0] [1.0 1.0] [2.0 2.0] [2.0 2.0] [3.0 3.0]]
(save-model path b :rules rules :prefix "h.")
(define (sorted entries) (sort entries (lambda (x y) (string<? (car x) (car y)))))
(print (equal? (sorted saved) (sorted (hash->list (load-tensors path))))) ; => #t

; Split here, fused there, the other way round; a procedure as a rule.
(define two-in-one '(((up gate) :from w) (w :from w :transpose #t)))
(define w (tensor-cat (list (row 3 4.0) (row 3 5.0)) 0))
(load-state-dict! b (list (cons "w.weight" (tensor-t (* w 2)))) :rules two-in-one :strict #f)
(print (linear-weight (block-up b)) (linear-weight (block-gate b))) ; => [[8.0 8.0] [8.0 8.0] [8.0 8.0]] [[10.0 10.0] [10.0 10.0] [10.0 10.0]]
(save-model path b :rules two-in-one)
(print (hash-ref (load-tensors path) "w.weight")) ; => [[8.0 8.0 8.0 10.0 10.0 10.0] [8.0 8.0 8.0 10.0 10.0 10.0]]
(define loud (lambda (name) (string-upcase name)))
(print (load-state-dict! b (list (cons "UP.WEIGHT" (row 3 1.0)) (cons "up.weight" (row 3 2.0))) :rules (list loud) :strict #f))
; => ((missing ATTN.QKV.WEIGHT ATTN.QKV.BIAS ATTN.STEPS GATE.WEIGHT) (unexpected up.weight))
(print (linear-weight (block-up b)))             ; => [[1.0 1.0] [1.0 1.0] [1.0 1.0]]

; Wrong tables change nothing.
(define (without name) (remove (lambda (e) (equal? (car e) name)) saved))
(define (with name x) (cons (cons name x) (without name)))
(define (try table) (refusal (lambda () (load-state-dict! b table :prefix "h." :rules rules))))
(try (with "h.self.q.weight" (row 4 1.0)))
; => load-state-dict!: the table does not fit the model:
; =>   shape: "h.self.q.weight" + "h.self.k.weight" + "h.self.v.weight" is (4 2) + (2 2) + (1 2), in the model "attn.qkv.weight" is (6 2)
(try (without "h.self.k.bias"))
; => load-state-dict!: the table does not fit the model:
; =>   missing: "h.self.k.bias"
(try (cons (cons "h.self.kk.bias" (all 2 1.0)) (without "h.self.k.bias")))
; => load-state-dict!: the table does not fit the model:
; =>   missing: "h.self.k.bias", near "h.self.kk.bias" (2)
; =>   unexpected: "h.self.kk.bias" (2)
(try (with "h.self.steps" (tensor 7.5)))
; => load-state-dict!: the table does not fit the model:
; =>   dtype: "h.self.steps" is float32, in the model int64
(try (with "h.up.weight" (tensor-zeros 3 2 :dtype 'complex64)))
; => load-state-dict!: the table does not fit the model:
; =>   dtype: "h.up.weight" is complex64, in the model float32
(try (with "h.up.weight" 'none))
; => load-state-dict!: the table does not fit the model:
; =>   missing: "h.up.weight" (3 2)
(try 5)                                          ; => load-state-dict!: expected a hash table or an alist of tensors, got 5
(print (linear-weight (block-up b)))             ; => [[1.0 1.0] [1.0 1.0] [1.0 1.0]]
(refusal (lambda () (load-state-dict! b saved :rules '((qkv (q k v)))))) ; => load-state-dict!: expected a rule, got
(refusal (lambda () (save-model path b :rules '((qkv :from (a b c d))))))
; => save-model: "attn.qkv.weight" of (6 2) cannot be split into 4 parts as (1 1 1 1)
(refusal (lambda () (save-model path b :rules '(((up down) :from w))))) ; => save-model: a rule names "down.weight", which the model does not have

; A tensor with several names is saved under the first, and loaded under any.
(define-module (tied)
  ((embed (linear 2 2 :bias #f)) (head (linear 2 2 :bias #f)))
  (forward (x) (head (embed x))))
(define t (tied))
(set-linear-weight! (tied-head t) (linear-weight (tied-embed t)))
(save-model path t)
(print (hash-keys (load-tensors path)) (hash->list (tensors-metadata path))) ; => (embed.weight) ((format . pt) (head.weight . embed.weight))
(load-state-dict! t (list (cons "head.weight" (row 2 6.0))))
(print (linear-weight (tied-embed t)))           ; => [[6.0 6.0] [6.0 6.0]]
(load-state-dict! t (list (cons "head.weight" (row 2 7.0)) (cons "embed.weight" (row 2 7.0))))
(print (linear-weight (tied-embed t)))           ; => [[7.0 7.0] [7.0 7.0]]
(refusal (lambda () (load-state-dict! t (list (cons "head.weight" (row 2 8.0)) (cons "embed.weight" (row 2 9.0))))))
; => load-state-dict!: the table does not fit the model:
; =>   tied: "embed.weight" and "head.weight" differ, in the model they are one tensor
(refusal (lambda () (load-state-dict! t '())))
; => load-state-dict!: the table does not fit the model:
; =>   missing: "embed.weight" (2 2)
; =>   missing: "head.weight" (2 2)
(print (linear-weight (tied-embed t)) (eq? (linear-weight (tied-head t)) (linear-weight (tied-embed t)))) ; => [[7.0 7.0] [7.0 7.0]] #t
(delete-file path)
