;; plot-svg.lisp - figures as SVG files, which browsers and editors show.
;;
;; Lengths are pixels; y grows downwards.  The same bytes are written by scripts
;; and executables.

(define %svg-colours '("#0b6fb8" "#d9632a" "#2a9155" "#b23a48" "#7a55b0" "#8a6d3b"
                       "#c45ca2" "#5f6b73"))

;; The rectangle of the axes: left, top, right and bottom.
(define (%svg-frame figure width height)
  (vector 60.0
          (if (%figure-title figure) 36.0 16.0)
          (- width 16.0)
          (- height (if (%figure-x-label figure) 52.0 36.0))))

(define (%plot-svg figure width height)
  "The text of a figure."
  (let ((frame (%svg-frame figure width height)))
    (string-append
     (%svg-start width height)
     (%svg-y-axis figure frame)
     (%svg-x-axis figure frame)
     (%svg-all-series figure frame)
     (%svg-titles figure frame width height)
     (%svg-legend figure frame)
     "</svg>\n")))

(define (%svg-start width height)
  (string "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" width
          "\" height=\"" height "\" viewBox=\"0 0 " width " " height
          "\" font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect width=\"" width "\" height=\"" height
          "\" fill=\"white\"/>\n"))

(define (%svg-number x)
  "A length with two decimals at most."
  (%trimmed-number (/ (round (* x 100.0)) 100.0)))

(define (%svg-x figure frame x)
  "Where an x is."
  (%along (%figure-x-range figure) x (vector-ref frame 0) (vector-ref frame 2)))

(define (%svg-y figure frame y)
  "Where a y is."
  (%along (%figure-y-range figure) y (vector-ref frame 3) (vector-ref frame 1)))

(define (%along range x from to)
  "The place of x in a range that goes from one length to another."
  (+ from (* (- to from)
             (/ (- x (car range)) (- (cdr range) (car range))))))

(define (%svg-escaped text)
  "A text with entities."
  (string-join
   (map (lambda (c)
          (case c
            ((#\&) "&amp;")
            ((#\<) "&lt;")
            ((#\>) "&gt;")
            ((#\") "&quot;")
            (else (string c))))
        (string->list (%one-line (string text))))
   ""))

(define (%svg-text x y anchor text more)
  "A text whose start, middle or end is at a place."
  (string "<text x=\"" (%svg-number x) "\" y=\"" (%svg-number y)
          "\" text-anchor=\"" anchor "\"" more ">" (%svg-escaped text)
          "</text>\n"))

(define (%svg-line x1 y1 x2 y2 colour)
  (string "<line x1=\"" (%svg-number x1) "\" y1=\"" (%svg-number y1)
          "\" x2=\"" (%svg-number x2) "\" y2=\"" (%svg-number y2)
          "\" stroke=\"" colour "\"/>\n"))

;; Axes.

(define (%svg-y-axis figure frame)
  "Lines across the figure, with their numbers."
  (string-join
   (map (lambda (tick)
          (let ((y (%svg-y figure frame (car tick))))
            (string
             (%svg-line (vector-ref frame 0) y (vector-ref frame 2) y "#dddddd")
             (%svg-text (- (vector-ref frame 0) 6) (+ y 4) "end" (cdr tick)
                        ""))))
        (%axis-ticks (%figure-y-range figure)
                     (max 1 (quotient (exact (round (vector-ref frame 3))) 40))
                     (%figure-log-y figure)))
   ""))

(define (%svg-x-axis figure frame)
  "The line below the figure, with its numbers."
  (string
   (%svg-line (vector-ref frame 0) (vector-ref frame 3)
              (vector-ref frame 2) (vector-ref frame 3) "#333333")
   (string-join
    (map (lambda (tick)
           (let ((x (%svg-x figure frame (car tick))) (y (vector-ref frame 3)))
             (string (%svg-line x y x (+ y 5) "#333333")
                     (%svg-text x (+ y 18) "middle" (cdr tick) ""))))
         (%axis-ticks (%figure-x-range figure)
                      (max 1 (quotient (exact (round (vector-ref frame 2))) 100))
                      #f))
    "")))

(define (%svg-titles figure frame width height)
  "The title and the names of the axes."
  (let ((middle (/ (+ (vector-ref frame 0) (vector-ref frame 2)) 2.0))
        (centre (/ (+ (vector-ref frame 1) (vector-ref frame 3)) 2.0))
        (title (%figure-title figure))
        (x-label (%figure-x-label figure))
        (y-label (%figure-y-label figure)))
    (string
     (if title
         (%svg-text middle 22 "middle" title " font-size=\"15\"")
         "")
     (if x-label (%svg-text middle (- height 12) "middle" x-label "") "")
     (if y-label
         (%svg-text 14 centre "middle" y-label
                    (string " transform=\"rotate(-90 14 " (%svg-number centre)
                            ")\""))
         ""))))

(define (%svg-legend figure frame)
  "A line of its colour and its name for each series that has one."
  (let loop ((left (%figure-series figure)) (k 0) (parts '()))
    (if (null? left)
        (string-join (reverse parts) "")
        (let ((name (vector-ref (car left) 0))
              (y (+ (vector-ref frame 1) 14.0 (* 18.0 k)))
              (x (- (vector-ref frame 2) 8.0)))
          (loop (cdr left)
                (+ k 1)
                (if (string-null? name)
                    parts
                    (cons (string
                           (%svg-text (- x 26) (+ y 4) "end" name "")
                           "<rect x=\"" (%svg-number (- x 20)) "\" y=\""
                           (%svg-number (- y 2)) "\" width=\"20\" height=\"4\""
                           " fill=\"" (%svg-colour k) "\"/>\n")
                          parts)))))))

(define (%svg-colour k)
  (list-ref %svg-colours (remainder k (length %svg-colours))))

;; Series.  What is outside the axes is clipped.

(define (%svg-all-series figure frame)
  "All series."
  (let ((left (vector-ref frame 0)) (top (vector-ref frame 1)))
    (string
     "<clipPath id=\"axes\"><rect x=\"" (%svg-number left) "\" y=\""
     (%svg-number (- top 2)) "\" width=\""
     (%svg-number (- (vector-ref frame 2) left))
     "\" height=\"" (%svg-number (- (vector-ref frame 3) top -3))
     "\"/></clipPath>\n<g clip-path=\"url(#axes)\">\n"
     (string-join
      (map (lambda (one k) (%svg-series figure frame one (%svg-colour k)))
           (%figure-series figure) (iota (length (%figure-series figure))))
      "")
     "</g>\n")))

(define (%svg-series figure frame one colour)
  "One series."
  (let ((xs (vector-ref one 1)) (ys (vector-ref one 2)))
    (case (%figure-kind figure)
      ((line) (%svg-curve figure frame (%thinned xs ys) colour))
      ((scatter) (%svg-points figure frame xs ys colour))
      (else (%svg-bars figure frame xs ys colour)))))

(define (%svg-curve figure frame points colour)
  "Lines through points; those that are not finite leave gaps."
  (let loop ((left points) (piece '()) (parts '()))
    (cond ((and (pair? left) (finite? (caar left)) (finite? (cdar left)))
           (loop (cdr left)
                 (cons (string (%svg-number (%svg-x figure frame (caar left)))
                               ","
                               (%svg-number (%svg-y figure frame (cdar left))))
                       piece)
                 parts))
          (else
           (let ((parts (if (null? piece)
                            parts
                            (cons (%svg-piece (reverse piece) colour) parts))))
             (if (null? left)
                 (string-join (reverse parts) "")
                 (loop (cdr left) '() parts)))))))

(define (%svg-piece places colour)
  "A line through places, or a dot."
  (if (null? (cdr places))
      (let ((both (string-split (car places) ",")))
        (%svg-dot (car both) (cadr both) colour))
      (string "<polyline points=\"" (string-join places " ")
              "\" fill=\"none\" stroke=\"" colour
              "\" stroke-width=\"1.5\" stroke-linejoin=\"round\"/>\n")))

(define (%svg-dot x y colour)
  (string "<ellipse cx=\"" x "\" cy=\"" y "\" rx=\"2.5\" ry=\"2.5\" fill=\""
          colour "\" fill-opacity=\"0.7\"/>\n"))

(define (%svg-points figure frame xs ys colour)
  "A dot for each point."
  (string-join
   (map (lambda (x y)
          (if (and (finite? x) (finite? y))
              (%svg-dot (%svg-number (%svg-x figure frame x))
                        (%svg-number (%svg-y figure frame y)) colour)
              ""))
        (vector->list xs) (vector->list ys))
   ""))

(define (%svg-bars figure frame edges counts colour)
  "The bars of a histogram."
  (string-join
   (map (lambda (k)
          (let ((left (%svg-x figure frame (vector-ref edges k)))
                (right (%svg-x figure frame (vector-ref edges (+ k 1))))
                (top (%svg-y figure frame (vector-ref counts k))))
            (string "<rect x=\"" (%svg-number left) "\" y=\"" (%svg-number top)
                    "\" width=\"" (%svg-number (- right left)) "\" height=\""
                    (%svg-number (- (vector-ref frame 3) top)) "\" fill=\""
                    colour "\" fill-opacity=\"0.6\" stroke=\"white\"/>\n")))
        (iota (vector-length counts)))
   ""))
