; Direct preference optimization with adapters: answers that rise are chosen, answers that fall rejected.
(manual-seed 1)
(define-module (language-model tokens width)
  ((table (embedding tokens width)) (mix (gru width width :batch-first #t)) (head (linear width tokens)))
  (forward (x) (receive (states last) (mix (table x)) (head states))))
(define policy (language-model 10 16))
(define (triple k) (let ((a (modulo k 7))) (list (list 9 a) (list (+ a 1) (+ a 2)) (list (modulo (+ a 5) 9) (modulo (+ a 3) 9) 8))))
(define triples (map triple (iota 21)))
(define data (preference-dataset triples))
(let-list (((chosen mask rejected rejected-mask) (dataset-ref data 0)))
  (print chosen mask rejected rejected-mask))  ; => [9 0 1 2 0] [#f #f #t #t #f] [9 0 5 3 8] [#f #f #t #t #t]
(define loader (data-loader data :batch-size 7 :shuffle #t :seed 1))
(define before (detach (policy [[1 2 3]])))
(lora! policy :targets '("head") :rank 4 :alpha 8)
(define loss (preference-loss policy #f :beta 0.5))
(define first (tensor-item (apply loss (dataset-tensors data))))
(print (/ (round (* 1000 first)) 1000))  ; => 0.693
(define history
  (fit policy loader :batch-loss loss :optimizer (adam (filter requires-grad? (parameters policy)) :lr 0.05) :epochs 20 :progress #f))
(print (< (tensor-item (apply loss (dataset-tensors data))) 0.3))  ; => #t
(print (preference-accuracy policy #f loader))  ; => 1.0
(print (equal? before (call-without-lora policy (lambda () (detach (policy [[1 2 3]]))))) (equal? before (detach (policy [[1 2 3]]))))  ; => #t #f
; A reference model of its own.
(define reference (freeze! (copy-module policy)))
(print (< (abs (- 0.6931 (tensor-item (apply (preference-loss policy reference) (dataset-tensors data))))) 1e-3))  ; => #t
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (preference-dataset '((1 2))))))  ; => preference-dataset: expected a list of prompt, chosen and rejected, got (1 2)
(print (message (lambda () (preference-loss (linear 1 1) #f))))  ; => preference-loss: the model has no adapters; lora! adds them
