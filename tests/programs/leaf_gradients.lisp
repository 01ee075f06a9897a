;; Backward evaluates a plain graph itself, gradients uses LibTorch's engine:
;; both must find the same bits, whatever the shape of the graph.

(manual-seed 7)

(define (same-gradients? make-loss . leaves)
  "Whether backward and gradients agree on the loss of the leaves."
  (for-each requires-grad! leaves)
  (let ((expected (gradients (apply make-loss leaves) leaves)))
    (backward (apply make-loss leaves))
    (let ((found (map tensor-grad leaves)))
      (apply zero-grad! leaves)
      (and (every equal? found expected)
           (every (lambda (x) (not (tensor-grad x))) leaves)))))

(define (m . shape) (tensor-randn shape))

;; A diamond, a chain, a leaf used often.
(print (same-gradients? (lambda (x) (tensor-sum (* (exp x) (sin x) x))) (m 3 4)))
;; => #t
(print (same-gradients? (lambda (x) (let ((y (+ x x))) (tensor-sum (* y (+ y y)))))
                        (m 5)))  ; => #t
(print (same-gradients?
        (lambda (x w b) (tensor-sum (tensor-relu (tensor-linear x w b))))
        (m 7 3) (m 4 3) (m 4)))  ; => #t

;; The same weight in two layers; broadcasting that must be summed.
(print (same-gradients?
        (lambda (x w) (tensor-sum (tanh (@ (tanh (@ x w)) w))))
        (m 2 4) (m 4 4)))  ; => #t
(print (same-gradients? (lambda (a b) (tensor-mean (/ a (+ 3 (* b b)))))
                        (m 4 1 5) (m 3 1)))  ; => #t

;; Views, elements, pieces of one tensor.
(print (same-gradients?
        (lambda (x)
          (let ((parts (tensor-chunk (tensor-transpose x 0 1) 2)))
            (+ (tensor-sum (* (car parts) (cadr parts)))
               (tensor-ref x 1 2)
               (tensor-sum (tensor-ref x (range 0 2) 0)))))
        (m 4 6)))  ; => #t
(print (same-gradients?
        (lambda (x)
          (let ((y (tensor-copy x)))
            (tensor-mul! (tensor-ref y 0) 3)
            (tensor-sum (* y y))))
        (m 3 2)))  ; => #t

;; Results that get no gradient.
(print (same-gradients?
        (lambda (x) (tensor-sum (* 2 (car (tensor-topk x 2))))) (m 3 5)))  ; => #t
(print (same-gradients?
        (lambda (x)
          (let ((parts (tensor-unbind x)))
            (tensor-sum (* (car parts) (caddr parts)))))
        (m 4 3)))  ; => #t

;; Sparse gradients, alone and beside dense ones.
(define ids (tensor '(1 3 1 0)))
(define (sparse-loss w)
  (tensor-sum (square (tensor-embedding w ids :sparse #t))))
(define w (requires-grad! (m 5 2)))
(backward (sparse-loss w))
(print (equal? (tensor-to-dense (tensor-grad w))
               (tensor-to-dense (car (gradients (sparse-loss w) (list w))))))
;; => #t
(print (same-gradients? (lambda (w) (+ (sparse-loss w) (tensor-sum (* w w))))
                        (m 5 2)))  ; => #t

;; Layers with state of their own, complex numbers, other dtypes.
(print (same-gradients?
        (lambda (x k b)
          (tensor-sum (square (tensor-max-pool2d
                               (tensor-conv2d x k b :padding 1) 2))))
        (m 2 3 6 6) (m 4 3 3 3) (m 4)))  ; => #t
(print (same-gradients?
        (lambda (x w b) (tensor-sum (square (tensor-layer-norm x '(6) w b))))
        (m 3 6) (m 6) (m 6)))  ; => #t
(print (same-gradients?
        (lambda (x) (tensor-sum (abs (tensor-fft-fft x)))) (m 8)))  ; => #t
(print (same-gradients?
        (lambda (x y) (tensor-sum (* (tensor-to x 'float64) y)))
        (m 3) (tensor-to (m 3) 'float64)))  ; => #t

;; A gradient written in Lisp, which asks for gradients itself.
(define cube
  (custom-gradient
   (lambda (x) (* x x x))
   (lambda (g x y)
     (let ((z (requires-grad! (detach x))))
       (with-grad (backward (tensor-sum (* z z z))))
       (* g (tensor-grad z))))))
(print (same-gradients? (lambda (x) (tensor-sum (* x (cube (sin x))))) (m 4)))
;; => #t

;; Twice over the same graph; gradients accumulate.
(define x (requires-grad! (tensor '(1.0 2.0 3.0))))
(define y (tensor-sum (* x x x)))
(backward y :retain-graph #t)
(backward y)
(print (tensor-grad x))  ; => [6.0 24.0 54.0]
(backward (tensor-sum (* 2 x)))
(print (tensor-grad x))  ; => [8.0 26.0 56.0]

;; Weights of the elements are only read, and another tensor than the gradient.
(define weights (tensor '(1.0 10.0 100.0)))
(zero-grad! x)
(backward (+ x 0) :gradient weights)
(tensor-add! (tensor-grad x) 1)
(print weights (tensor-grad x))  ; => [1.0 10.0 100.0] [2.0 11.0 101.0]

;; What is not plain: a gradient kept inside the graph.
(zero-grad! x)
(define inner (retain-grad! (* x x)))
(backward (tensor-sum (* inner 2)))
(print (tensor-grad inner) (tensor-grad x))
;; => [2.0 2.0 2.0] [4.0 8.0 12.0]

;; A gradient that fails leaves the other leaves, and names its operation.
(define bad (custom-gradient (lambda (x) (* x 2))
                             (lambda (g x y) (error "no gradient here"))))
(print (guard (e (#t (error-object-message e)))
         (backward (tensor-sum (bad x)))))  ; => no gradient here
(backward (tensor-sum (* x 1)))
(print (tensor-grad x))  ; => [5.0 9.0 13.0]

;; Gradients of activation functions are written over those in their results.
(define (activation-agrees? f)
  (same-gradients? (lambda (x w) (tensor-sum (square (f (@ x w)))))
                   (m 8 4) (m 4 16)))
(print (map activation-agrees?
            (list tensor-relu tensor-gelu tensor-silu tanh tensor-sigmoid
                  (lambda (x) (tensor-gelu x :approximate "tanh")))))
;; => (#t #t #t #t #t #t)
;; Not if somebody else sees them, or their layout differs.
(print (same-gradients?
        (lambda (x)
          (let ((y (* x 2)))
            (tensor-sum (+ (tensor-relu y) (* 3 (tensor-relu y)) (tanh y)))))
        (m 3 3)))  ; => #t
(print (same-gradients?
        (lambda (x y)
          (tensor-sum (* y (tensor-transpose (tensor-relu (* x 1)) 0 1))))
        (m 2 3) (m 3 2)))  ; => #t
(define once (tensor '(1.0 -1.0)))
(define kept (tensor-relu (requires-grad! (tensor '(2.0 3.0)))))
(backward kept :gradient once)
(print once)  ; => [1.0 -1.0]
