; A query that sees nothing: zeros, and gradients of zeros, with weights as well as without.
(define (ok? x) (tensor-item (tensor-all (tensor-isfinite x))))
(manual-seed 1)
(define x (requires-grad! (tensor-randn 2 3 8)))
(define layer (multi-head-attention 8 2 :batch-first #t))
(define masks
  (list (tensor '((#t #t #t) (#f #f #f) (#f #t #f)))
        (tensor '((-inf.0 -inf.0 -inf.0) (0.0 0.0 0.0) (0.0 -inf.0 0.0)))))
(for-each
 (lambda (mask)
   (let-values (((y weights) (layer x x x :attn-mask mask))
                ((plain none) (layer x x x :attn-mask mask :need-weights #f)))
     (zero-grad! x)
     (backward (+ (tensor-sum y) (tensor-sum (tensor-square weights))))
     (print (ok? y) (tensor-allclose y plain) (tensor-sum weights -1) (ok? (tensor-grad x)))))
 masks)
; => #t #t [[0.0 1.0 1.0] [0.0 1.0 1.0]] #t
; => #t #t [[0.0 1.0 1.0] [0.0 1.0 1.0]] #t

; The other ways to compute attention agree.
(define q (requires-grad! (tensor-randn 1 2 3 4)))
(for-each
 (lambda (mask)
   (let ((weights (attention-weights q q :mask mask))
         (fused (attention q q q :mask mask))
         (capped (attention q q q :mask mask :softcap 1e6))
         (blocks (blockwise-attention q q q :mask mask :block 2)))
     (zero-grad! q)
     (backward (+ (tensor-sum weights) (tensor-sum capped) (tensor-sum blocks) (tensor-sum fused)))
     (print (tensor-sum weights -1) (tensor-allclose fused capped :atol 1e-4)
            (tensor-allclose fused blocks :atol 1e-5) (ok? (tensor-grad q)))))
 (list (tensor-logical-not (car masks)) (cadr masks)))
; => [[[0.0 1.0 1.0] [0.0 1.0 1.0]]] #t #t #t
; => [[[0.0 1.0 1.0] [0.0 1.0 1.0]]] #t #t #t

; The function of torch.nn.functional.
(define result
  (tensor-multi-head-attention-forward
   x x x 8 2 (tensor-randn 24 8) #f #f #f #f 0.0 (tensor-randn 8 8) #f
   :attn-mask (tensor '((#t #t) (#f #f)))))
(print (ok? (car result)) (tensor-sum (cadr result) -1))
; => #t [[0.0 1.0] [0.0 1.0] [0.0 1.0]]
