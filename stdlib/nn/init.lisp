;; init.lisp - initial values of parameters, as in torch.nn.init.
;;
;; Each fills a tensor in place, unrecorded, and returns it.  With the same
;; seed, the values are PyTorch's.

(define (tensor-constant! x value)
  "Fill x with a number."
  (no-grad (tensor-fill! x value)))

(define (tensor-ones! x)
  "Fill x with ones."
  (no-grad (tensor-fill! x 1)))

(define (tensor-zeros! x)
  "Fill x with zeros."
  (no-grad (tensor-zero! x)))

(define (tensor-eye! x)
  "Make a matrix an identity matrix."
  (unless (= (tensor-rank x) 2)
    (error "tensor-eye!: expected a matrix, got shape" (tensor-shape x)))
  (no-grad (tensor-copy! x (apply tensor-eye (tensor-shape x)))))

(define (tensor-trunc-normal! x :mean 0.0 :std 1.0 :a -2.0 :b 2.0
                              :generator #f)
  "Fill x with normally distributed numbers between a and b."
  (let ((low (%normal-share (/ (- a mean) std)))
        (high (%normal-share (/ (- b mean) std))))
    (no-grad
      (if (> (- high low) 0.3)
          (%draw-between! x mean std a b generator)
          (tensor-clamp! (tensor-add!
                          (tensor-mul! (tensor-copy! x
                                        (tensor-special-ndtri
                                         (tensor-uniform!
                                          (tensor-empty-like x) low high
                                          :generator generator)))
                                       std)
                          mean)
                         a b)))))

(define (%normal-share x)
  "The fraction of the normal distribution below x."
  (tensor-item (tensor-special-ndtr (tensor x :dtype 'float64))))

(define (%draw-between! x mean std a b generator)
  "Draw the elements again that are not between a and b."
  (tensor-normal! x mean std :generator generator)
  (let loop ()
    (let ((outside (tensor-logical-or (tensor-lt x a) (tensor-gt x b))))
      (when (tensor-any outside)
        (tensor-copy! x
                      (tensor-where outside
                                    (tensor-normal! (tensor-empty-like x)
                                                    mean std
                                                    :generator generator)
                                    x))
        (loop))))
  x)

;; Initial values that depend on the numbers of inputs and outputs.

(define (%fans who x)
  "The numbers of inputs and outputs of a weight [out, in, ...], as a pair."
  (unless (>= (tensor-rank x) 2)
    (error (string who ": expected 2 or more dimensions, got shape")
           (tensor-shape x)))
  (let* ((shape (tensor-shape x))
         (field (apply * (cddr shape))))
    (cons (* (cadr shape) field) (* (car shape) field))))

(define (calculate-gain nonlinearity . slope)
  "The factor for weights before an activation of that name, such as \"relu\"
  or \"tanh\"; \"leaky_relu\" has a slope."
  (cond ((member nonlinearity
                 '("linear" "sigmoid" "conv1d" "conv2d" "conv3d"
                   "conv_transpose1d" "conv_transpose2d" "conv_transpose3d"))
         1.0)
        ((equal? nonlinearity "tanh") (/ 5.0 3))
        ((equal? nonlinearity "relu") (sqrt 2.0))
        ((equal? nonlinearity "leaky_relu")
         (let ((slope (if (and (pair? slope) (car slope)) (car slope) 0.01)))
           (sqrt (/ 2.0 (+ 1 (* slope slope))))))
        ((equal? nonlinearity "selu") 0.75)
        (else
         (wrong-type "calculate-gain" "the name of an activation"
                     nonlinearity))))

(define (tensor-xavier-uniform! x :gain 1.0 :generator #f)
  "Fill a weight so that values keep their variance both ways (Glorot and
  Bengio 2010): uniformly."
  (let ((bound (* (sqrt 3.0) (%xavier-deviation "tensor-xavier-uniform!"
                                                x gain))))
    (no-grad (tensor-uniform! x (- bound) bound :generator generator))))

(define (tensor-xavier-normal! x :gain 1.0 :generator #f)
  "Fill a weight so that values keep their variance both ways (Glorot and
  Bengio 2010): normally distributed."
  (let ((deviation (%xavier-deviation "tensor-xavier-normal!" x gain)))
    (no-grad (tensor-normal! x 0.0 deviation :generator generator))))

(define (%xavier-deviation who x gain)
  "The standard deviation that keeps the variance."
  (let ((fans (%fans who x)))
    (* gain (sqrt (/ 2.0 (+ (car fans) (cdr fans)))))))

(define (tensor-kaiming-uniform! x :a 0 :mode "fan_in"
                                 :nonlinearity "leaky_relu" :generator #f)
  "Fill a weight so that values keep their variance after a rectifier (He
  et al. 2015): uniformly.  mode is \"fan_in\" for values, \"fan_out\" for
  gradients; a is the slope of a leaky_relu."
  (let ((bound (* (sqrt 3.0)
                  (%kaiming-deviation "tensor-kaiming-uniform!" x a mode
                                      nonlinearity))))
    (no-grad (tensor-uniform! x (- bound) bound :generator generator))))

(define (tensor-kaiming-normal! x :a 0 :mode "fan_in"
                                :nonlinearity "leaky_relu" :generator #f)
  "Fill a weight so that values keep their variance after a rectifier (He
  et al. 2015): normally distributed.  The keywords are those of
  tensor-kaiming-uniform!."
  (let ((deviation (%kaiming-deviation "tensor-kaiming-normal!" x a mode
                                       nonlinearity)))
    (no-grad (tensor-normal! x 0.0 deviation :generator generator))))

(define (%kaiming-deviation who x a mode nonlinearity)
  "The standard deviation that keeps the variance one way."
  (let ((fans (%fans who x)))
    (/ (calculate-gain nonlinearity a)
       (sqrt (inexact (cond ((equal? mode "fan_in") (car fans))
                            ((equal? mode "fan_out") (cdr fans))
                            (else (wrong-type who "\"fan_in\" or \"fan_out\""
                                              mode))))))))

;; Others.

(define (tensor-orthogonal! x :gain 1.0 :generator #f)
  "Fill x, as a matrix [size, rest], with orthogonal rows or columns."
  (unless (>= (tensor-rank x) 2)
    (error "tensor-orthogonal!: expected 2 or more dimensions, got shape"
           (tensor-shape x)))
  (no-grad
    (let* ((rows (tensor-size x 0))
           (columns (quotient (tensor-numel x) rows))
           (start (tensor-normal! (tensor-new-empty x (list rows columns))
                                  0.0 1.0 :generator generator))
           (tall (if (< rows columns) (tensor-t start) start))
           (parts (tensor-linalg-qr tall))
           (q (* (car parts)
                 (tensor-sign (tensor-diagonal (cadr parts))))))
      (tensor-copy! x (tensor-reshape (if (< rows columns) (tensor-t q) q)
                                      (tensor-shape x)))
      (tensor-mul! x gain))))

(define (tensor-dirac! x :groups 1)
  "Fill the weight of a convolution so that it preserves its inputs."
  (unless (memv (tensor-rank x) '(3 4 5))
    (error "tensor-dirac!: expected 3 to 5 dimensions, got shape"
           (tensor-shape x)))
  (unless (zero? (remainder (tensor-size x 0) groups))
    (error (format "tensor-dirac!: ~a channels cannot be cut into groups:"
                   (tensor-size x 0))
           groups))
  (let* ((channels (quotient (tensor-size x 0) groups))
         (middle (map (lambda (size) (quotient size 2))
                      (cddr (tensor-shape x)))))
    (no-grad
      (tensor-zero! x)
      (dotimes (group groups)
        (dotimes (k (min channels (tensor-size x 1)))
          (apply tensor-set! x (+ (* group channels) k) k
                 (append middle '(1)))))
      x)))

(define (tensor-sparse! x sparsity :std 0.01 :generator #f)
  "Fill a matrix with normally distributed numbers, and a fraction of each
  column with zeros."
  (unless (= (tensor-rank x) 2)
    (error "tensor-sparse!: expected a matrix, got shape" (tensor-shape x)))
  (let* ((rows (tensor-size x 0))
         (zeros (exact (ceiling (* sparsity rows)))))
    (no-grad
      (tensor-normal! x 0.0 std :generator generator)
      (dotimes (column (tensor-size x 1))
        (tensor-set! x (tensor-slice (tensor-randperm
                                       rows :device (tensor-device x))
                                      0 0 zeros) column
                     0))
      x)))
