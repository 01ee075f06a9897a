;; show-image.lisp - images as text: two pixels a character.
;;
;; On a terminal a half block in two of 16 million colours stands for two
;; pixels, one above the other; elsewhere one of ten characters for their mean
;; brightness.

(define %shades " .:-=+*#%@")   ; from dark to bright

(define (show-image image :columns #f)
  "Print an image as text, two pixels a character, one above the other.

  image is a tensor [c, h, w] or [h, w] of bytes or of numbers from 0 to 1; of
  several, a tensor [n, c, h, w] or a list, a grid is shown.  A terminal shows
  colours, everything else ten shades of grey: a dense character is bright.

  The image has as many columns as pixels, if they fit: the terminal has as many
  as it has, everything else 80.  With :columns it has that many.
  (save-image path (image-grid images)) writes what is shown to a file."
  (unless (or (not columns) (and (exact-integer? columns) (> columns 0)))
    (wrong-type "show-image" "a positive exact integer as :columns" columns))
  (let* ((image (if (and (tensor? image) (< (tensor-rank image) 4))
                    image
                    (image-grid image)))
         (pixels (%colour-bytes (%image-bytes "show-image" image)))
         (terminal (%terminal-columns (current-output-port)))
         (coloured? (and terminal (not (getenv "NO_COLOR"))))
         (width (or columns
                    (min (or terminal 80) (tensor-size pixels 2)))))
    (%print-pixels (%as-wide pixels width) coloured?)))

(define (%colour-bytes image)
  "The image [3, h, w]; what alpha hides is black."
  (let* ((channels (tensor-size image 0))
         (colours (%coloured (if (even? channels)
                                 (tensor-slice image 0 0 (- channels 1))
                                 image))))
    (if (odd? channels)
        colours
        (let ((alpha (tensor-slice image 0 (- channels 1) channels)))
          (tensor-to (/ (* (tensor-to colours 'float32) alpha) 255)
                     'uint8)))))

(define (%as-wide image width)
  "The image [c, h, w] with that width, and a height in proportion."
  (let* ((shape (tensor-shape image))
         (w (list-ref shape 2))
         (height (max 1 (exact (round (/ (* width (cadr shape)) w))))))
    (if (= w width)
        image
        (resize-image image height width
                      :mode (if (< width w) "area" "nearest")))))

(define (%print-pixels image coloured?)
  "Print an image [3, h, w] of bytes."
  (let* ((h (tensor-size image 1))
         (rows (list->vector
                (tensor->list (tensor-permute
                               (if coloured? image (%grey-of image))
                               '(1 2 0)))))
         (dark (map (lambda (pixel) '(0 0 0)) (vector-ref rows 0))))
    (let loop ((y 0))
      (when (< y h)
        (let ((upper (vector-ref rows y))
              (lower (if (< (+ y 1) h) (vector-ref rows (+ y 1)) dark)))
          (display (if coloured?
                       (%colour-row upper lower)
                       (%shade-row upper lower)))
          (newline))
        (loop (+ y 2))))))

(define (%shade-row upper lower)
  "A character for each pixel of a row and the one below it."
  (list->string
   (map (lambda (a b)
          (string-ref %shades
                      (quotient (* 10 (quotient (+ (car a) (car b)) 2)) 256)))
        upper lower)))

(define (%colour-row upper lower)
  "A half block for each pixel of a row and the one below it: its colour is the
  upper one, its background the lower one."
  (let loop ((a upper) (b lower) (before #f) (parts '()))
    (if (null? a)
        (string-join (reverse (cons "\x1b;[0m" parts)) "")
        (let ((colours (cons (car a) (car b))))
          (loop (cdr a) (cdr b) colours
                (cons (if (equal? colours before)
                          "▀"
                          (string "\x1b;[38;2;" (%colour-code (car a))
                                  ";48;2;" (%colour-code (car b)) "m▀"))
                      parts))))))

(define (%colour-code pixel)
  "255;128;0"
  (string-join (map number->string pixel) ";"))
