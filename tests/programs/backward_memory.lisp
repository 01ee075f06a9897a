;; The gradient in the argument of an activation function takes the memory of
;; the one in its result; with LibTorch's engine it needs one tensor more.

(define leaf (requires-grad! (tensor-ones '(1000 1000))))  ; 4 megabytes
(define w (requires-grad! (tensor-ones '(1000 1))))

(define (megabytes which)
  (quotient (cdr (assq which (tensor-memory))) 1000000))

(define (loss-of f)
  (tensor-sum (@ (f leaf) w)))

(define (least-peak f)
  "The most megabytes so far, after a backward through f."
  (backward (loss-of f))
  (zero-grad! leaf w)
  (megabytes 'peak-bytes))

;; leaf, the result, which the product saves, and one gradient.
(print (map least-peak (list tensor-relu tensor-gelu tensor-silu tanh
                             tensor-sigmoid)))  ; => (12 12 12 12 12)
(print (length (gradients (loss-of tensor-relu) (list leaf w))))  ; => 2
(print (megabytes 'peak-bytes))  ; => 16
