;; train_gpt.lisp - the training of a small GPT: 4 layers, 256 wide, a context
;; of 128.

(define vocabulary 96)
(define width 256)
(define heads 4)
(define context 128)
(define batch 16)

(define (split-heads x)
  "x [b, t, w] -> [b, heads, t, w / heads]"
  (tensor-transpose (tensor-view x (list batch context heads -1)) 1 2))

(define (attend qkv)
  "qkv [b, t, 3 w] -> [b, t, w]"
  (let-list (((q k v) (tensor-split qkv width 2)))
    (let ((mixed (tensor-scaled-dot-product-attention
                  (split-heads q) (split-heads k) (split-heads v)
                  :is-causal #t)))
      (tensor-reshape (tensor-transpose mixed 1 2)
                      (list batch context width)))))

(define-module (block)
  "x [b, t, w] -> [b, t, w]"
  ((norm-1 (layer-norm width))
   (qkv (linear width (* 3 width)))
   (out (linear width width))
   (norm-2 (layer-norm width))
   (up (linear width (* 4 width)))
   (down (linear (* 4 width) width)))
  (forward (x)
    (let ((x (+ x (out (attend (qkv (norm-1 x)))))))
      (+ x (down (tensor-gelu (up (norm-2 x))))))))

(define-module (gpt)
  "ids [b, t] -> [b t, vocabulary]"
  ((tokens (embedding vocabulary width))
   (places (embedding context width))
   (blocks (list (block) (block) (block) (block)))
   (norm (layer-norm width))
   (head (linear width vocabulary :bias #f))
   (positions (tensor-arange context) :buffer))
  (forward (ids)
    (let ((x (fold (lambda (block x) (block x))
                   (+ (tokens ids) (places positions))
                   blocks)))
      (tensor-view (head (norm x)) (list -1 vocabulary)))))

(manual-seed 0)
(define model (gpt))
(define x (tensor-randint vocabulary (list batch context)))
(define y (tensor-view (tensor-randint vocabulary (list batch context)) '(-1)))
