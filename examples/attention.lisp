;; attention.lisp - scaled dot-product attention, written out.
;;
;; Each of t queries looks at all keys, and takes from the values in proportion
;; to how well the keys match: softmax(q k' / sqrt(d)) v.  A mask keeps a query
;; from looking at what comes after it.

(define (causal-mask t)
  "[t, t]: 0 where a query may look, minus infinity where it may not."
  (tensor-triu (tensor-full (list t t) -inf.0) 1))

(define (attend q k v)
  "q k v [t, d] -> [t, d]"
  (let* ((t (car (tensor-shape q)))
         (d (cadr (tensor-shape q)))
         (scores (/ (@ q (tensor-t k)) (sqrt d)))                   ; [t, t]
         (weights (tensor-softmax (+ scores (causal-mask t)) -1)))  ; [t, t]
    (@ weights v)))                                                 ; [t, d]

(manual-seed 0)
(define queries (tensor-randn 4 8))             ; [4, 8]
(define keys (tensor-randn 4 8))                ; [4, 8]
(define values (tensor-randn 4 8))              ; [4, 8]

(define mine (attend queries keys values))      ; [4, 8]
(define torchs
  (tensor-scaled-dot-product-attention queries keys values :is-causal #t))
(print "the first row:" (tensor-ref mine 0))
(print "the same as LibTorch's own:" (tensor-allclose mine torchs :atol 1e-6))
