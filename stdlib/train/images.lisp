;; images.lisp - images as tensors: files, sizes, and grids of several.
;;
;; An image is a tensor [c, h, w] or [h, w] (grey).  c is 1 for grey, 2 for grey
;; and alpha, 3 for red, green and blue, 4 for those and alpha.  Its elements
;; are bytes (uint8), or floating-point numbers from 0 to 1.  ctorch reads and
;; writes the files (ctorch/images/images.cpp).

(define (load-image path :channels #f)
  "The image in a PNG, JPEG, PPM or PGM file: a uint8 tensor [c, h, w].

  c is what the file has, 1 to 4; with :channels that many: colours become grey
  as 0.299 red + 0.587 green + 0.114 blue, grey becomes three equal colours, and
  alpha is dropped, or added as 255.  16-bit samples are rounded to 8 bits; a
  colour profile is not applied.

  A JPEG image is turned as its Exif data say.  A damaged file is an error.  PNG
  needs the library libpng and JPEG libjpeg, which `lambent doctor` looks for;
  interlaced PNG images with 16 bits and JPEG images in CMYK are not read."
  (let ((image (%procedure "load-image" path)))
    (if channels (%with-channels image channels) image)))

(define (save-image path image)
  "Write an image [h, w] or [c, h, w] as the path ends: .png, .ppm or .pgm.

  Bytes are written as they are, floating-point numbers from 0 to 1 as 0 to 255
  (smaller and greater ones as 0 and 1, NaN as 0), booleans as 0 and 255.  The
  file appears when it is complete."
  (%procedure "save-image" path (%image-bytes "save-image" image))
  (if #f #f))

;; Channels.

(define (%with-channels image n)
  "The image with n channels, from 1 to 4."
  (unless (memv n '(1 2 3 4))
    (wrong-type "load-image" "1, 2, 3 or 4 channels" n))
  (let* ((has (tensor-size image 0))
         (alpha (if (even? has) (tensor-slice image 0 (- has 1) has) #f))
         (base (if alpha (tensor-slice image 0 0 (- has 1)) image))
         (colours (if (< n 3) (%grey-of base) (%coloured base))))
    (if (odd? n)
        (tensor-contiguous colours)
        (tensor-cat (list colours
                          (or alpha
                              (tensor-full-like (tensor-slice base 0 0 1)
                                                255)))))))

(define (%grey-of image)
  "One channel of an image of 1 or 3, with exact weights."
  (if (= (tensor-size image 0) 1)
      image
      (let* ((weights (tensor '(((19595)) ((38470)) ((7471))) :dtype 'int32))
             (sum (tensor-sum (* (tensor-to image 'int32) weights) 0
                              :keepdim #t)))
        (tensor-to (tensor-bitwise-right-shift (+ sum 32768) 16) 'uint8))))

(define (%coloured image)
  "Three channels of an image of 1 or 3."
  (if (= (tensor-size image 0) 1) (tensor-repeat image '(3 1 1)) image))

;; The bytes of an image.

(define (%image-bytes who image)
  "The image as a uint8 tensor [c, h, w]; an error if it is not an image."
  (%check-image who image)
  (let ((image (if (= (tensor-rank image) 2)
                   (tensor-unsqueeze image 0)
                   image)))
    (no-grad
     (cond ((eq? (tensor-dtype image) 'uint8) image)
           ((eq? (tensor-dtype image) 'bool)
            (tensor-mul (tensor-to image 'uint8) 255))
           (else
            (let ((x (tensor-nan-to-num (tensor-to image 'float32) 0.0 1.0
                                        0.0)))
              (tensor-to (tensor-add (tensor-mul (tensor-clamp x 0 1) 255) 0.5)
                         'uint8)))))))

(define (%check-image who image)
  "Raise an error unless it is an image."
  (unless (tensor? image)
    (wrong-type who "an image [h, w] or [c, h, w]" image))
  (unless (memq (tensor-dtype image)
                '(uint8 bool float32 float64 float16 bfloat16))
    (%error-with-hint
     (string who ": an image has bytes (uint8) or floating-point numbers"
             " from 0 to 1, got " (tensor-dtype image))
     '() "(tensor-to image 'uint8) makes bytes of integers from 0 to 255"))
  (let ((shape (tensor-shape image)))
    (unless (%image-shape? shape)
      (%error-with-hint
       (string who ": expected an image [h, w] or [c, h, w] with 1 to 4"
               " channels, got the shape " shape)
       '() (%image-hint shape)))))

(define (%image-shape? shape)
  "Whether it is [h, w] or [c, h, w], and not empty."
  (and (not (memv 0 shape))
       (or (= (length shape) 2)
           (and (= (length shape) 3) (<= (car shape) 4)))))

(define (%image-hint shape)
  "What to do about a shape that is not an image's."
  (cond ((memv 0 shape) "an image has a pixel at least")
        ((and (= (length shape) 3) (<= (list-ref shape 2) 4))
         "(tensor-permute image '(2 0 1)) puts the channels first")
        ((= (length shape) 4) "(image-grid images) puts several into one")
        (else "(tensor-reshape x '(h w)) makes an image of its elements")))

;; Sizes.

(define (resize-image image height width :mode "bilinear")
  "The image [c, h, w] or [h, w] in another size, of the same dtype.

  mode is LibTorch's: \"nearest\", \"bilinear\", \"bicubic\" or \"area\".
  Bilinear and bicubic ones are smoothed where they get smaller."
  (%check-image "resize-image" image)
  (let* ((dtype (tensor-dtype image))
         (rank (tensor-rank image))
         (bytes? (memq dtype '(uint8 bool)))
         (x (if bytes? (tensor-to image 'float32) image))
         (batch (if (= rank 2)
                    (tensor-reshape x (append '(1 1) (tensor-shape x)))
                    (tensor-unsqueeze x 0)))
         (made (%interpolated batch height width mode))
         (back (tensor-squeeze (if (= rank 2) (tensor-squeeze made 0) made)
                               0)))
    (if bytes?
        (tensor-to (tensor-clamp (tensor-round back) 0
                                 (if (eq? dtype 'bool) 1 255))
                   dtype)
        back)))

(define (%interpolated batch height width mode)
  "The images [n, c, h, w] in another size."
  (unless (and (exact-integer? height) (exact-integer? width)
               (> height 0) (> width 0))
    (error (string "resize-image: expected a positive height and width, got "
                   height " and " width)))
  (cond ((member mode '("bilinear" "bicubic"))
         (tensor-interpolate batch (list height width) :mode mode
                             :antialias #t))
        ((member mode '("nearest" "area" "nearest-exact"))
         (tensor-interpolate batch (list height width) :mode mode))
        (else
         (wrong-type "resize-image"
                     "the mode nearest, bilinear, bicubic or area" mode))))

;; Grids.

(define (image-grid images :columns 8 :padding 2 :value 0 :normalize #f)
  "One image [c, h, w] that shows several in rows.

  images is a tensor [n, c, h, w], a tensor [n, h, w] of grey ones, or a list or
  a vector of images of one shape and dtype.  padding is how many pixels are
  around each, value what they hold.  With :normalize #t the elements become
  floating-point numbers from 0, for the smallest of all, to 1."
  (let* ((images (%image-batch images))
         (images (if normalize (%normalized-images images) images))
         (shape (tensor-shape images))     ; [n, c, h, w]
         (columns (%grid-count "columns" columns 1))
         (padding (%grid-count "padding" padding 0)))
    (%filled-grid images (min columns (car shape)) padding value)))

(define (%grid-count name x least)
  "x, if it is an exact integer from the least on."
  (if (and (exact-integer? x) (>= x least))
      x
      (wrong-type "image-grid"
                  (string "an exact integer from " least " as :" name) x)))

(define (%filled-grid images columns padding value)
  "The grid of images [n, c, h, w]."
  (let* ((shape (tensor-shape images))
         (n (car shape))
         (h (list-ref shape 2))
         (w (list-ref shape 3))
         (rows (quotient (+ n columns -1) columns))
         (grid (tensor-full (list (cadr shape)
                                  (+ padding (* rows (+ h padding)))
                                  (+ padding (* columns (+ w padding))))
                            value :dtype (tensor-dtype images))))
    (dotimes (i n)
      (let ((top (+ padding (* (quotient i columns) (+ h padding))))
            (left (+ padding (* (remainder i columns) (+ w padding)))))
        (tensor-set! grid :all (range top (+ top h)) (range left (+ left w))
                     (tensor-select images 0 i))))
    grid))

(define (%image-batch images)
  "Images as one tensor [n, c, h, w]."
  (let* ((given (if (vector? images) (vector->list images) images))
         (batch (cond ((tensor? given) given)
                      ((and (pair? given) (list? given) (every tensor? given))
                       (%check-same-shapes given)
                       (tensor-stack given))
                      (else
                       (wrong-type "image-grid" "images" images))))
         (rank (tensor-rank batch)))
    (unless (and (memv rank '(3 4)) (not (memv 0 (tensor-shape batch))))
      (error (string "image-grid: expected images [n, c, h, w] or [n, h, w],"
                     " got the shape " (tensor-shape batch))))
    (detach (if (= rank 3) (tensor-unsqueeze batch 1) batch))))

(define (%check-same-shapes images)
  "Raise an error unless all images have one shape."
  (let ((shape (tensor-shape (car images))))
    (for-each
     (lambda (image)
       (unless (equal? (tensor-shape image) shape)
         (%error-with-hint
          (string "image-grid: images have different shapes: " shape " and "
                  (tensor-shape image))
          '() "(resize-image image h w) makes them equal")))
     images)))

(define (%normalized-images images)
  "The images as floating-point numbers from 0 to 1."
  (let* ((x (if (memq (tensor-dtype images) '(float32 float64))
                images
                (tensor-to images 'float32)))
         (low (tensor-min x))
         (size (- (tensor-max x) low)))
    (if (= size 0) (tensor-zeros-like x) (/ (- x low) size))))
