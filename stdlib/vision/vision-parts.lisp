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
                                 :flat #f :antialias #f :last 0)
  "The vectors of the patches of images, with learned positions: pixels [n,
  channels, h, w] -> [n, t, width].

  grid: the rows and columns of patches that positions are learned for; images
  of another size get positions between those (bicubic).  patch: the height and
  width of a patch.  tokens: how many learned vectors come first with positions,
  then how many without; last: how many come last.  mask: whether files have a vector for hidden patches,
  which is kept.  flat: whether the first vector is [width], and positions are
  [t, width].  antialias: whether positions between those are smoothed where
  there are fewer."
  ((projection (blank-conv2d channels width patch :stride patch :bias bias))
   (channels channels)
   (grid grid)
   (tokens tokens)
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
   (last-tokens (and (> last 0) (tensor-zeros (list 1 last width))) :parameter)
   (mask-token (and mask (tensor-zeros 1 width)) :buffer)
   (positions (let ((t (+ (car tokens) (apply * grid) last)))
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
           (x (if last-tokens
                  (tensor-cat (list x (%for-each-image last-tokens n)) 1)
                  x))
           (x (+ x (%positions-for positions (car tokens) grid size
                                   :antialias antialias)))
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

(define (%positions-for positions first grid size :antialias #f)
  "The vectors of positions, [t, width] or [m, t, width], for so many rows and
  columns of patches.  first: how many come before those of the patches."
  (if (equal? grid size)
      positions
      (let* ((all (if (= (tensor-rank positions) 2)
                      (tensor-unsqueeze positions 0)
                      positions))
             (count (apply * grid))
             (table (tensor-transpose (tensor-narrow all 1 first count) 1 2))
             (between (tensor-interpolate
                       (tensor-unflatten (tensor-to table 'float32) 2 grid)
                       size :mode "bicubic" :align-corners #f
                       :antialias antialias))
             (end (+ first count)))
        (tensor-cat
         (list (tensor-narrow all 1 0 first)
               (tensor-transpose (tensor-flatten
                                  (tensor-to between (tensor-dtype all)) 2)
                                 1 2)
               (tensor-narrow all 1 end (- (tensor-size all 1) end)))
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
