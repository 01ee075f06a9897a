;; train_cnn.lisp - the training step of a convolutional network for the digits.

(define (uniform shape bound)
  "A parameter that begins uniform between -bound and bound."
  (requires-grad! (tensor-uniform! (tensor-empty shape) (- bound) bound)))

(define (weight-and-bias shape)
  "Of a layer whose weight has that shape: its first size is that of the bias."
  (let ((bound (/ (sqrt (inexact (apply * (cdr shape)))))))
    (list (uniform shape bound) (uniform (take shape 1) bound))))

(manual-seed 0)
(define first-layer (weight-and-bias '(16 1 3 3)))
(define second-layer (weight-and-bias '(32 16 3 3)))
(define hidden (weight-and-bias '(64 128)))
(define output (weight-and-bias '(10 64)))
(define parameter-list (append first-layer second-layer hidden output))

(define (convolve x layer)
  "x [b, c, h, w] -> [b, d, h / 2, w / 2]"
  (tensor-max-pool2d
   (tensor-relu (tensor-conv2d x (car layer) (cadr layer) :padding 1)) 2))

(define (loss-of x y)
  "x [64, 1, 8, 8], y [64] -> []"
  (let* ((features (convolve (convolve x first-layer) second-layer))
         (h (tensor-relu (tensor-linear (tensor-flatten features 1)
                                        (car hidden) (cadr hidden)))))
    (tensor-cross-entropy-loss
     (tensor-linear h (car output) (cadr output)) y)))

(define x (tensor-randn '(64 1 8 8)))
(define y (tensor-randint 10 '(64)))
