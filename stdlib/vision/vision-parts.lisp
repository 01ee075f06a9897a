;; vision-parts.lisp - what the layers of image models consist of.

(define (blank-conv2d in out size :stride 1 :padding 0 :groups 1 :bias #t)
  "A convolution whose weight has no values yet, in the dtype of the model that
  is being built; a bias begins with zeros.  size: of the kernel, an integer or
  a list of height and width."
  (let* ((size (if (list? size) size (list size size)))
         (layer (conv2d groups groups 1 :stride stride :padding padding
                        :groups groups :bias #f)))
    (set-conv2d-in-channels! layer in)
    (set-conv2d-out-channels! layer out)
    (set-conv2d-kernel-size! layer size)
    (set-conv2d-weight! layer (tensor-empty
                               (cons* out (quotient in groups) size)
                               :dtype (%weight-dtype)))
    (when bias
      (set-conv2d-bias! layer (tensor-zeros out :dtype (%weight-dtype))))
    layer))

(define-module (patch-embeddings channels width grid patch
                                 :tokens '(1) :bias #t :mask #f :drop-rate 0.0
                                 :flat #f :antialias #f)
  "The vectors of the patches of images, with learned positions: pixels [n,
  channels, h, w] -> [n, t, width].

  grid: the rows and columns of patches that positions are learned for; images
  of another size get positions between those (bicubic).  patch: the height and
  width of a patch.  tokens: how many learned vectors come first with positions,
  then how many without.  mask: whether files have a vector for hidden patches,
  which is kept.  flat: whether the first vector is [width], and positions are
  [t, width].  antialias: whether positions between those are smoothed where
  there are fewer."
  ((projection (blank-conv2d channels width patch :stride patch :bias bias))
   (channels channels)
   (grid grid)
   (patch patch)
   (antialias antialias)
   (first (let ((n (car tokens)))
            (and (> n 0)
                 (if flat (tensor-zeros width)
                     (tensor-zeros (list 1 n width)))))
          :parameter)
   (registers (and (pair? (cdr tokens)) (> (cadr tokens) 0)
                   (tensor-zeros (list 1 (cadr tokens) width)))
              :parameter)
   (mask-token (and mask (tensor-zeros 1 width)) :buffer)
   (positions (let ((t (+ (car tokens) (apply * grid))))
                (tensor-zeros (if flat (list t width) (list 1 t width))))
              :parameter)
   (dropout (dropout :p drop-rate)))
  (forward (pixels)
    (%check-pixels pixels channels patch)
    (let* ((x (projection (tensor-to pixels
                                     (tensor-dtype (conv2d-weight projection)))))
           (size (cddr (tensor-shape x)))                  ; rows and columns
           (x (tensor-transpose (tensor-flatten x 2) 1 2)) ; [n, t, width]
           (n (tensor-size x 0))
           (x (if first (tensor-cat (list (%for-each-image first n) x) 1) x))
           (x (+ x (%positions-for positions grid size antialias)))
           (x (dropout x)))
      (if registers
          (let ((start (tensor-size first 1)))
            (tensor-cat (list (tensor-narrow x 1 0 start)
                              (%for-each-image registers n)
                              (tensor-narrow x 1 start
                                             (- (tensor-size x 1) start)))
                        1))
          x))))

(define (%for-each-image vectors n)
  "Vectors [width] or [1, m, width] as [n, m, width]."
  (tensor-expand (if (= (tensor-rank vectors) 1)
                     (tensor-reshape vectors '(1 1 -1))
                     vectors)
                 (list n -1 -1)))

(define (%positions-for positions grid size antialias)
  "The vectors of positions for so many rows and columns of patches."
  (if (equal? grid size)
      positions
      (let* ((all (if (= (tensor-rank positions) 2)
                      (tensor-unsqueeze positions 0)
                      positions))
             (count (apply * grid))
             (own (- (tensor-size all 1) count))
             (table (tensor-transpose (tensor-narrow all 1 own count) 1 2))
             (between (tensor-interpolate
                       (tensor-unflatten (tensor-to table 'float32) 2 grid)
                       size
                       :mode "bicubic" :align-corners #f
                       :antialias antialias)))
        (tensor-cat
         (list (tensor-narrow all 1 0 own)
               (tensor-transpose (tensor-flatten
                                  (tensor-to between (tensor-dtype all)) 2)
                                 1 2))
         1))))

(define (%check-pixels pixels channels patch)
  "Raise an error unless they are images that have a patch at least."
  (unless (and (tensor? pixels) (= (tensor-rank pixels) 4)
               (tensor-is-floating-point pixels)
               (= (tensor-size pixels 1) channels)
               (>= (tensor-size pixels 2) (car patch))
               (>= (tensor-size pixels 3) (cadr patch)))
    (%error-with-hint
     (format "image model: expected pixels [n, ~a, h, w], floating-point \
numbers, with h and w from ~a and ~a, got" channels (car patch) (cadr patch))
     (if (tensor? pixels)
         (list (tensor-shape pixels) (tensor-dtype pixels))
         (list pixels))
     "an image processor makes them: ((load-image-processor folder) image)")))

;; Layers.

(define-module (image-layer attention-norm attention mlp-norm mlp
                            :scale #f :width 0 :drop-rate 0.0 :drop-path 0.0)
  "A layer of which attention and MLP each follow a norm and are added to what
  came in.  x [n, t, width] -> the same shape.

  scale: what learned factors of both begin with, or #f for none.  drop-path:
  how often an image skips each part in training."
  ((attention-norm attention-norm)
   (attention attention)
   (attention-scale (and scale (tensor-full (list width) scale)) :parameter)
   (mlp-norm mlp-norm)
   (mlp mlp)
   (mlp-scale (and scale (tensor-full (list width) scale)) :parameter)
   (dropout (dropout :p drop-rate))
   (drop-path drop-path))
  (forward (x)
    (let* ((skip (lambda (x) (if (training? self) (%drop-path x drop-path) x)))
           (y (dropout (attention (attention-norm x) %whole-relation)))
           (x (+ x (skip (if attention-scale (* y attention-scale) y))))
           (y (dropout (mlp (mlp-norm x)))))
      (+ x (skip (if mlp-scale (* y mlp-scale) y))))))

(define %whole-relation (%make-relation #f #f #f))

(define (%drop-path x rate)
  "x [n, ...] with zeros for some of the n, the others larger in their place."
  (if (> rate 0)
      (let ((shape (cons (tensor-size x 0)
                         (map (lambda (size) 1) (cdr (tensor-shape x))))))
        (* x (/ (tensor-to (tensor-ge (tensor-rand shape
                                                   :device (tensor-device x))
                                      rate)
                           (tensor-dtype x))
                (- 1.0 rate))))
      x))
