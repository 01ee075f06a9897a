;; train_gpt.lisp - the training step of a small GPT: 4 layers, 256 wide, a context of 128.

(define vocabulary 96)
(define width 256)
(define heads 4)
(define context 128)
(define batch 16)

(define (uniform shape bound)
  "A parameter that begins uniform between -bound and bound."
  (requires-grad! (tensor-uniform! (tensor-empty shape) (- bound) bound)))

(define (weight-and-bias in out)
  (let ((bound (/ (sqrt (inexact in)))))
    (list (uniform (list out in) bound) (uniform (list out) bound))))

(define (norm)
  (list (requires-grad! (tensor-ones (list width)))
        (requires-grad! (tensor-zeros (list width)))))

(define (make-block)
  "Norm, query, key and value, output, norm, up, down."
  (list (norm) (weight-and-bias width (* 3 width))
        (weight-and-bias width width) (norm)
        (weight-and-bias width (* 4 width))
        (weight-and-bias (* 4 width) width)))

(manual-seed 0)
(define token-table (requires-grad! (tensor-randn (list vocabulary width))))
(define position-table (requires-grad! (tensor-randn (list context width))))
(define blocks (list (make-block) (make-block) (make-block) (make-block)))
(define last-norm (norm))
(define head (uniform (list vocabulary width) (/ (sqrt (inexact width)))))
(define parameter-list
  (append (list token-table position-table)
          (append-map (lambda (block) (apply append block)) blocks)
          last-norm (list head)))

(define (apply-linear layer x) (tensor-linear x (car layer) (cadr layer)))

(define (apply-norm layer x)
  (tensor-layer-norm x (list width) (car layer) (cadr layer)))

(define (split-heads x)
  "x [b, t, w] -> [b, heads, t, w / heads]"
  (tensor-transpose (tensor-view x (list batch context heads -1)) 1 2))

(define (attend x qkv out)
  "x [b, t, w] -> [b, t, w]"
  (let* ((parts (tensor-split (apply-linear qkv x) width 2))
         (mixed (tensor-scaled-dot-product-attention
                 (split-heads (car parts)) (split-heads (cadr parts))
                 (split-heads (caddr parts)) :is-causal #t)))
    (apply-linear out (tensor-reshape (tensor-transpose mixed 1 2)
                                      (list batch context width)))))

(define (apply-block x norm-1 qkv out norm-2 up down)
  "x [b, t, w] -> [b, t, w]"
  (let ((x (+ x (attend (apply-norm norm-1 x) qkv out))))
    (+ x (apply-linear down (tensor-gelu
                             (apply-linear up (apply-norm norm-2 x)))))))

(define positions (tensor-arange context))

(define (logits ids)
  "ids [b, t] -> [b, t, vocabulary]"
  (let ((x (+ (tensor-embedding token-table ids)
              (tensor-embedding position-table positions))))
    (tensor-linear
     (apply-norm last-norm
                 (fold (lambda (block x) (apply apply-block x block)) x blocks))
     head)))

(define (loss-of x y)
  (tensor-cross-entropy-loss
   (tensor-view (logits x) (list -1 vocabulary)) (tensor-view y '(-1))))

(define x (tensor-randint vocabulary (list batch context)))
(define y (tensor-randint vocabulary (list batch context)))
