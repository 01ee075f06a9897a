; Gradients of parts are those of the whole batch: unequal parts, ignored targets, weights, sums.
(manual-seed 0)
(define xs (tensor-randn 14 3))
(define ys (tensor-randint 0 4 '(14)))
(define ignored (tensor-index-fill ys 0 [0 1 2 3 9] -100))
(define w (requires-grad! (tensor-randn 4 3)))
(define (logits x) (tensor-linear x w))
(define (close? a b) (tensor-allclose a b :rtol 1e-4 :atol 1e-6))
(define (whole loss-of . parts)
  (zero-grad! w)
  (let ((l (apply loss-of parts)))
    (backward l)
    (let ((g (tensor-copy (tensor-grad w))))
      (zero-grad! w)
      (cons (detach l) g))))
(define (check loss-of sizes y . options)
  (let* ((all (whole loss-of xs y))
         (l (apply accumulate-gradients loss-of (tensor-split xs sizes) (tensor-split y sizes) options))
         (g (tensor-copy (tensor-grad w))))
    (zero-grad! w)
    (and (close? l (car all)) (close? g (cdr all)) (not (requires-grad? l)))))
(define (classes x y) (cross-entropy (logits x) y))
(print (check classes '(7 7) ys) (check classes '(5 5 4) ys) (check classes '(13 1) ys) (check classes '(14) ys)) ; => #t #t #t #t
(print (check classes '(7 7) ignored) (check classes '(5 5 4) ignored) (check classes '(4 6 4) ignored)) ; => #t #t #t
(define weights [0.1 2.0 0.5 1.0])
(define (weighted x y) (cross-entropy (logits x) y :weight weights :label-smoothing 0.1))
(print (check weighted '(4 6 4) ignored) (check weighted '(9 5) ys)) ; => #t #t
(print (check (lambda (x y) (nll-loss (tensor-log-softmax (logits x) 1) y :ignore-index 1)) '(5 9) ys)) ; => #t
(print (check (lambda (x y) (cross-entropy (logits x) y :reduction 'sum)) '(5 9) ys)) ; => #t
(print (check (lambda (x y) (tensor-mean (square (logits x)))) '(5 9) ys)) ; => #t
(print (check (lambda (x y) (kl-div (tensor-log-softmax (logits x) 1) (tensor-softmax (square (logits x)) 1) :reduction 'batchmean)) '(5 9) ys)) ; => #t
(print (check (lambda (x y) (multi-margin-loss (logits x) y)) '(5 9) ys) (check (lambda (x y) (huber-loss (logits x) (tensor-zeros-like (logits x)))) '(5 9) ys)) ; => #t #t
(print (check (lambda (x y) (triplet-margin-loss (logits x) (square (logits x)) (tensor-ones-like (logits x)))) '(3 11) ys)) ; => #t
(print (check (lambda (x y) (distillation-loss (logits x) (square (logits x)) y)) '(5 9) ignored)) ; => #t
(print (check (lambda (x y) (dpo-loss (logits x) (- (logits x)) (tensor-zeros-like (logits x)) (tensor-zeros-like (logits x)))) '(5 9) ys)) ; => #t
; Two losses in proportion have one weight; others need :count.
(define (two x y) (+ (cross-entropy (logits x) y) (* 0.1 (mse-loss (logits x) (tensor-zeros-like (logits x))))))
(define (said thunk) (guard (e (#t (display (error-object-message e)) (for-each (lambda (x) (display " ") (display x)) (error-object-irritants e)) (newline))) (thunk)))
(print (check two '(5 9) ys)) ; => #t
(said (lambda () (check two '(5 9) ignored))) ; => accumulate-gradients: the losses of a part are over (8 36) terms, and those of the first part over (1 20), so that no single weight is right for them
(zero-grad! w)
(print (check (lambda (x y) (tensor-mean (square (logits x)))) '(5 9) ys :count (lambda (x y) (tensor-size x 0)))) ; => #t
(said (lambda () (check classes '(5 9) ys :count (lambda (x y) -1)))) ; => accumulate-gradients: expected a number of at least 0 from :count, got -1
; Gradients of before stay, also after a failure.
(backward (tensor-sum w))
(accumulate-gradients classes (tensor-split xs '(5 9)) (tensor-split ys '(5 9)))
(define both (tensor-copy (tensor-grad w)))
(print (close? both (+ 1.0 (cdr (whole classes xs ys))))) ; => #t
(backward (tensor-sum w))
(said (lambda () (accumulate-gradients (lambda (x y) (if (= (tensor-size x 0) 5) (tensor-sum (* 0.0 (logits x))) (error "no more" 1))) (tensor-split xs '(5 9)) (tensor-split ys '(5 9))))) ; => no more 1
(print (equal? (tensor-grad w) (tensor-ones 4 3))) ; => #t

; fit: a step of several batches is that of one batch of them all, and so are its losses.
(define (trained batch . options)
  (manual-seed 1)
  (let* ((m (linear 3 4))
         (history (apply fit m (data-loader (tensor-dataset xs ignored) :batch-size batch)
                         :optimizer (sgd (parameters m) :lr 0.5) :loss cross-entropy :epochs 2 :progress #f
                         :validate (data-loader (tensor-dataset xs ignored) :batch-size batch)
                         :metrics (list (cons "accuracy" (lambda (out y) (accuracy out (tensor-clamp-min y 0)))))
                         options)))
    (list (linear-weight m) (tensor (history-column history "loss")) (tensor (history-column history "validation-loss"))
          (tensor (history-column history "accuracy")) (last (history-column history "step")))))
(define (alike? a b) (every (lambda (x y) (if (tensor? x) (close? x y) #t)) a b))
(define once (trained 14))
(print (alike? once (trained 4 :accumulate 4)) (alike? once (trained 5 :accumulate 3)) (alike? once (trained 1 :accumulate 14))) ; => #t #t #t
(print (alike? once (trained 4)) (last (trained 4)) (last (trained 4 :accumulate 3)) (last once)) ; => #f 6 4 2
; Batches of one ignored example count nothing: they make no step.
(define single (trained 1))
(print (last single) (tensor-item (tensor-all (tensor-isfinite (car single)))) (map tensor-shape (take (cdr single) 2))) ; => 18 #t ((2) (2))
; A run that stops inside a step makes it of the batches that it has.
(define (stopped batch count . options)
  (manual-seed 1)
  (let ((m (linear 3 4)) (seen 0))
    (apply fit m (data-loader (tensor-dataset xs ys) :batch-size batch)
           :optimizer (sgd (parameters m) :lr 0.5) :loss cross-entropy :epochs 2 :progress #f
           :callbacks (list (callback :batch (lambda (run) (set! seen (+ seen 1)) (when (= seen count) (fit-stop! run)))))
           options)
    (linear-weight m)))
(print (close? (stopped 8 1) (stopped 4 2 :accumulate 4))) ; => #t
