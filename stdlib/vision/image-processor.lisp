;; image-processor.lisp - how images become the pixels that a model expects, as
;; the image processors of transformers do it: resized as Pillow does, cropped,
;; scaled and normalized.

(define-module (image-processor :size '(224 224) :shortest #f :longest #f
                                :crop #f :crop-share #f :multiple 1
                                :resample "bilinear" :scale (/ 1.0 255)
                                :mean '(0.5 0.5 0.5) :deviation '(0.5 0.5 0.5)
                                :pad #f :config #f)
  "The steps from images to the pixels that a model of images expects.

  (processor images) -> [n, 3, h, w] float32.  images: a path, an image [c, h, w]
  of bytes or of numbers from 0 to 1, a batch [n, c, h, w], or a list of paths and
  images.  Grey images become coloured, alpha is dropped.

  size: a list of height and width, or #f; shortest: what the shorter side
  becomes instead, and longest: the most that the longer one may have.  multiple:
  sides are multiples of it then.  crop: the height and width that are cut out of
  the middle, or #f.  crop-share: resize the shorter side to shortest / share and
  cut out shortest, as ConvNeXt does.  resample: nearest, lanczos, bilinear,
  bicubic, box or hamming; results are Pillow's, to the bit.  scale: what bytes
  are multiplied with, or #f.  mean and deviation: of the channels, or #f.  pad:
  whether images of several sizes are padded with zeros at the right and below.
  load-image-processor reads these from a folder."
  ((size (%optional-sides "size" size))
   (shortest (%optional-side "shortest" shortest))
   (longest (%optional-side "longest" longest))
   (crop (%optional-sides "crop" crop))
   (crop-share crop-share)
   (multiple multiple)
   (resample (%choice "image-processor" "resample" resample
                      %resampling-names))
   (scale scale)
   (mean mean)
   (deviation deviation)
   (pad pad)
   (config config))
  (forward (images)
    (let ((ready (map (lambda (image) (%prepared-image self image))
                      (%images-of images))))
      (tensor-stack (if pad (%padded-images ready) (%of-one-size ready))))))

(define %resampling-names
  '("nearest" "lanczos" "bilinear" "bicubic" "box" "hamming"))

(define (%optional-side name x)
  "x, if it is #f or a side of an image."
  (unless (or (not x) (and (exact-integer? x) (< 0 x 100000)))
    (wrong-type "image-processor" (format "a positive integer as :~a" name) x))
  x)

(define (%optional-sides name x)
  "x, if it is #f or a list of height and width."
  (unless (or (not x) (and (list? x) (= (length x) 2) (every (lambda (side)
                                        (and (exact-integer? side)
                                             (< 0 side 100000))) x)))
    (wrong-type "image-processor" (format "a list of height and width as :~a"
                                          name) x))
  x)

(define (%images-of images)
  "Images as a list of bytes [3, h, w]."
  (cond ((string? images) (list (%coloured-bytes (load-image images))))
        ((and (list? images) (pair? images)) (append-map %images-of images))
        ((and (tensor? images) (= (tensor-rank images) 4)
              (> (tensor-size images 0) 0))
         (map %coloured-bytes (tensor-unbind images 0)))
        ((tensor? images) (list (%coloured-bytes images)))
        (else
         (wrong-type "image-processor" "a path, an image or a list of them"
                     images))))

(define (%coloured-bytes image)
  "An image as bytes [3, h, w]."
  (let ((bytes (%image-bytes "image-processor" image)))
    (if (= (tensor-size bytes 0) 3) bytes (%with-channels bytes 3))))

;; Steps.

(define (%prepared-image processor image)
  "The pixels [3, h, w] of bytes [3, h, w]."
  (let* ((image (%resized-image processor image))
         (crop (if (image-processor-crop-share processor)
                   (and (< (image-processor-shortest processor) 384)
                        (list (image-processor-shortest processor)
                              (image-processor-shortest processor)))
                   #f))
         (image (if crop (%center-of image crop) image))
         (image (if (image-processor-crop processor)
                    (%center-of image (image-processor-crop processor))
                    image)))
    (no-grad (%normalized-pixels processor image))))

(define (%resized-image processor image)
  "The image in the size that the settings say."
  (let ((size (%new-size processor (tensor-size image 1) (tensor-size image 2))))
    (if (or (not size) (equal? size (cdr (tensor-shape image))))
        image
        (%procedure "resample-image" image (car size) (cadr size)
                    (image-processor-resample processor)))))

(define (%new-size processor height width)
  "The height and width that an image becomes, or #f for its own."
  (let ((shortest (image-processor-shortest processor))
        (longest (image-processor-longest processor))
        (share (image-processor-crop-share processor)))
    (cond ((and shortest share)
           (if (< shortest 384)
               (%with-shortest height width
                               (exact (truncate (/ shortest share))))
               (list shortest shortest)))
          ((and shortest longest)
           (map (lambda (side multiple) (- side (remainder side multiple)))
                (%between-sides height width shortest longest)
                (list (image-processor-multiple processor)
                      (image-processor-multiple processor))))
          (shortest (%with-shortest height width shortest))
          (else (image-processor-size processor)))))

(define (%with-shortest height width shortest)
  "The sides with the shorter one as given."
  (let ((longer (quotient (* shortest (max height width)) (min height width))))
    (if (<= width height)
        (list longer shortest)
        (list shortest longer))))

(define (%between-sides height width shortest longest)
  "The sides with the shorter one as given, or the longer one as given if it were
  longer."
  (let* ((least (min height width))
         (most (max height width))
         (limited? (> (* (/ (inexact most) least) shortest) longest))
         (raw (and limited? (/ (* longest (inexact least)) most)))
         (side (if limited? (exact (round raw)) shortest))
         (other (lambda (a b)
                  (exact (truncate (/ (* (or raw (inexact side)) a) b))))))
    (cond ((or (and (<= height width) (= height side))
               (and (<= width height) (= width side)))
           (list height width))
          ((< width height) (list (other height width) side))
          (else (list side (other width height))))))

(define (%center-of image size)
  "The middle of an image, with zeros around it where it is smaller."
  (let* ((height (tensor-size image 1))
         (width (tensor-size image 2))
         (rows (car size))
         (columns (cadr size))
         (top (floor-quotient (- height rows) 2))
         (left (floor-quotient (- width columns) 2))
         (above (if (> rows height) (quotient (+ (- rows height) 1) 2) 0))
         (before (if (> columns width) (quotient (+ (- columns width) 1) 2) 0))
         (padded (tensor-pad image
                             (list before (- (max columns width) width before)
                                   above (- (max rows height) height above)))))
    (tensor-narrow (tensor-narrow padded 1 (max 0 (+ top above)) rows)
                   2 (max 0 (+ left before)) columns)))

(define (%normalized-pixels processor image)
  "The bytes as float32, scaled and normalized."
  (let* ((scale (image-processor-scale processor))
         (mean (image-processor-mean processor))
         (x (if scale
                (tensor-to (* (tensor-to image 'float64) scale) 'float32)
                (tensor-to image 'float32)))
         (column (lambda (numbers)
                   (tensor-reshape (tensor numbers :dtype 'float32
                                           :device (tensor-device x))
                                   '(-1 1 1)))))
    (if mean
        (/ (- x (column mean)) (column (image-processor-deviation processor)))
        x)))

(define (%of-one-size images)
  "The images, if they have one size."
  (let ((shape (tensor-shape (car images))))
    (for-each
     (lambda (image)
       (unless (equal? (tensor-shape image) shape)
         (%error-with-hint
          "image-processor: images of different sizes make no batch:"
          (list (cdr shape) (cdr (tensor-shape image)))
          "process them one by one, or let :size or :crop make them equal")))
     images)
    images))

(define (%padded-images images)
  "The images with zeros at the right and below, so that they have one size."
  (let ((height (apply max (map (lambda (x) (tensor-size x 1)) images)))
        (width (apply max (map (lambda (x) (tensor-size x 2)) images))))
    (map (lambda (x)
           (tensor-pad x (list 0 (- width (tensor-size x 2))
                               0 (- height (tensor-size x 1)))))
         images)))
