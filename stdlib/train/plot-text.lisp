;; plot-text.lisp - figures as text: curves in braille dots, or in a character
;; for each series where there are several and no colours.
;;
;;     1.0 ┤⢆
;;         │⠈⠢⣀
;;     0.5 ┤   ⠉⠒⠤⠤⣀⣀
;;         └┬────┬────┬
;;          0    5    10
;;
;; A canvas is a grid of cells, each with across times down dots: 2 times 4 in
;; braille, one in characters.

(define-record-type %canvas
  (%make-canvas columns rows across down dots owners)
  %canvas?
  (columns %canvas-columns)
  (rows %canvas-rows)
  (across %canvas-across)
  (down %canvas-down)
  (dots %canvas-dots)        ; of each cell, the sum of its dots' bits
  (owners %canvas-owners))   ; of each cell, the number of its series, or #f

(define %plot-marks "*ox+#@%&")
(define %plot-colours '(36 33 35 32 31 34))   ; of terminals
;; Bits of the dots of a braille cell, by rows.
(define %braille-bits '#(#(1 8) #(2 16) #(4 32) #(64 128)))

(define (%print-plot figure width height)
  "Print a figure on the current output port."
  (let* ((terminal (%terminal-columns (current-output-port)))
         (coloured? (and terminal (not (getenv "NO_COLOR"))))
         (several? (pair? (cdr (%figure-series figure))))
         (dotted? (or coloured? (not several?)))
         (rows (or height 15))
         (y-ticks (%y-ticks figure rows))
         (margin (fold max 0 (map (lambda (tick) (string-length (cdr tick)))
                                  y-ticks)))
         (columns (max 10 (- (or width (min (or terminal 80) 200)) margin 3)))
         (canvas (%make-canvas columns rows (if dotted? 2 1) (if dotted? 4 1)
                               (make-vector (* columns rows) 0)
                               (make-vector (* columns rows) #f))))
    (%draw-series canvas figure)
    (%print-centred (%figure-title figure) (+ margin 2) columns)
    (when (%figure-y-label figure)
      (print (%one-line (%figure-y-label figure))))
    (%print-rows canvas y-ticks margin coloured? dotted?)
    (%print-x-axis figure margin columns)
    (%print-centred (%figure-x-label figure) (+ margin 2) columns)
    (%print-legend figure margin coloured?)))

(define (%print-centred text margin columns)
  "Print a line in the middle of the columns after a margin, if there is one."
  (when text
    (let* ((text (%fitting (%one-line (string text)) columns))
           (room (quotient (- columns (%text-width text)) 2)))
      (print (string (make-string (+ margin (max 0 room)) #\space) text)))))

;; Drawing.

(define (%draw-series canvas figure)
  "Draw each series on the canvas."
  (let loop ((left (%figure-series figure)) (k 0))
    (unless (null? left)
      (%draw-one canvas figure (car left) k)
      (loop (cdr left) (+ k 1)))))

(define (%draw-one canvas figure one k)
  "Draw a series."
  (let ((xs (vector-ref one 1)) (ys (vector-ref one 2)))
    (case (%figure-kind figure)
      ((line) (%draw-line canvas figure (%thinned xs ys) k))
      ((scatter)
       (vector-for-each
        (lambda (x y)
          (let ((at (%dot-of canvas figure x y)))
            (when at (%set-dot! canvas (car at) (cdr at) k))))
        xs ys))
      (else
       (if (null? (cdr (%figure-series figure)))
           (%fill-bins canvas figure xs ys)
           (%draw-line canvas figure (%outline xs ys) k))))))

(define (%dot-of canvas figure x y)
  "(column . row) of a point among the dots; #f outside."
  (let ((at (%interval-of (%figure-x-range figure) x
                       (* (%canvas-columns canvas) (%canvas-across canvas))))
        (up (%interval-of (%figure-y-range figure) y
                       (* (%canvas-rows canvas) (%canvas-down canvas)))))
    (and at up
         (cons at (- (* (%canvas-rows canvas) (%canvas-down canvas)) 1 up)))))

(define (%interval-of range x count)
  "The number of the interval of a range, divided into count, that has x."
  (and (finite? x) (<= (car range) x (cdr range))
       (min (- count 1)
            (exact (floor (* count (/ (- x (car range))
                                      (- (cdr range) (car range)))))))))

(define (%set-dot! canvas column row k)
  "Set a dot, which belongs to the series k."
  (let* ((across (%canvas-across canvas))
         (down (%canvas-down canvas))
         (cell (+ (* (quotient row down) (%canvas-columns canvas))
                  (quotient column across)))
         (bit (vector-ref (vector-ref %braille-bits (remainder row down))
                          (remainder column across)))
         (dots (%canvas-dots canvas)))
    (vector-set! dots cell (bitwise-ior (vector-ref dots cell) bit))
    (vector-set! (%canvas-owners canvas) cell k)))

(define (%draw-line canvas figure points k)
  "Draw a line through points, a list of (x . y); those outside leave gaps."
  (let loop ((left points) (before #f))
    (unless (null? left)
      (let ((at (%dot-of canvas figure (caar left) (cdar left))))
        (when at (%draw-segment canvas (or before at) at k))
        (loop (cdr left) at)))))

(define (%draw-segment canvas from to k)
  "Set the dots from one to another."
  (let* ((across (- (car to) (car from)))
         (down (- (cdr to) (cdr from)))
         (steps (max 1 (abs across) (abs down))))
    (dotimes (i (+ steps 1))
      (%set-dot! canvas
                 (+ (car from) (round (/ (* i across) steps)))
                 (+ (cdr from) (round (/ (* i down) steps)))
                 k))))

(define (%thinned xs ys)
  "The points of a curve; of a long one, the lowest and the highest of each of a
  thousand pieces."
  (let* ((n (vector-length xs)) (size (quotient (+ n 999) 1000)))
    (if (<= n 4000)
        (map cons (vector->list xs) (vector->list ys))
        (let loop ((start 0) (points '()))
          (if (>= start n)
              (reverse points)
              (loop (+ start size)
                    (append (%extremes xs ys start (min n (+ start size)))
                            points)))))))

(define (%extremes xs ys start end)
  "The points of the lowest and the highest of some ys, the later one first."
  (let loop ((k start) (low start) (high start))
    (if (< k end)
        (let ((y (vector-ref ys k)))
          (loop (+ k 1)
                (if (or (< y (vector-ref ys low)) (nan? (vector-ref ys low)))
                    k
                    low)
                (if (or (> y (vector-ref ys high)) (nan? (vector-ref ys high)))
                    k
                    high)))
        (map (lambda (k) (cons (vector-ref xs k) (vector-ref ys k)))
             (list (max low high) (min low high))))))

(define (%outline edges counts)
  "The points of the line around the bars of a histogram."
  (let loop ((k (- (vector-length counts) 1))
             (points (list (cons (vector-ref edges (vector-length counts))
                                 0.0))))
    (if (< k 0)
        (cons (cons (vector-ref edges 0) 0.0) points)
        (let ((y (vector-ref counts k)))
          (loop (- k 1)
                (cons* (cons (vector-ref edges k) y)
                       (cons (vector-ref edges (+ k 1)) y)
                       points))))))

(define (%fill-bins canvas figure edges counts)
  "Fill the bars of a histogram."
  (let ((columns (* (%canvas-columns canvas) (%canvas-across canvas)))
        (rows (* (%canvas-rows canvas) (%canvas-down canvas)))
        (bins (vector-length counts)))
    (dotimes (column columns)
      (let* ((y (vector-ref counts (quotient (* column bins) columns)))
             (at (%dot-of canvas figure (vector-ref edges 0) y)))
        (when (and (> y 0.0))
          (let loop ((row (if at (cdr at) 0)))
            (when (< row rows)
              (%set-dot! canvas column row 0)
              (loop (+ row 1)))))))))

;; Printing.

(define (%y-ticks figure rows)
  "(row . text) of the ticks of the y axis."
  (let ((range (%figure-y-range figure)))
    (map (lambda (tick)
           (cons (- rows 1 (%interval-of range (car tick) rows)) (cdr tick)))
         (filter (lambda (tick) (%interval-of range (car tick) rows))
                 (%axis-ticks range (+ 1 (quotient rows 3))
                              (%figure-log-y figure))))))

(define (%print-rows canvas y-ticks margin coloured? dotted?)
  "Print the rows of the canvas, each after its tick."
  (dotimes (row (%canvas-rows canvas))
    (let ((tick (assv row y-ticks)))
      (print (string (%padded-left (if tick (cdr tick) "") margin)
                     (if tick " ┤" " │")
                     (%canvas-row canvas row coloured? dotted?))))))

(define (%padded-left text width)
  (string (make-string (max 0 (- width (string-length text))) #\space) text))

(define (%canvas-row canvas row coloured? dotted?)
  "The text of a row, without spaces at its end."
  (let ((first (* row (%canvas-columns canvas))))
    (let loop ((k (- (%canvas-columns canvas) 1)) (parts '()))
      (if (< k 0)
          (string-join parts "")
          (let ((owner (vector-ref (%canvas-owners canvas) (+ first k)))
                (dots (vector-ref (%canvas-dots canvas) (+ first k))))
            (loop (- k 1)
                  (cond (owner
                         (cons (%coloured-text (%cell-text dots owner dotted?)
                                               owner coloured?)
                               parts))
                        ((null? parts) parts)
                        (else (cons " " parts)))))))))

(define (%cell-text dots owner dotted?)
  "The character of a cell."
  (string (if dotted?
              (integer->char (+ #x2800 dots))
              (%plot-mark owner))))

(define (%plot-mark k)
  "The character of the series k."
  (string-ref %plot-marks (remainder k (string-length %plot-marks))))

(define (%coloured-text text k coloured?)
  "A text in the colour of the series k."
  (if coloured?
      (string "\x1b;["
              (list-ref %plot-colours (remainder k (length %plot-colours)))
              "m" text "\x1b;[0m")
      text))

(define (%print-x-axis figure margin columns)
  "Print the x axis and its numbers."
  (let* ((range (%figure-x-range figure))
         (ticks (filter-map
                 (lambda (tick)
                   (let ((at (%interval-of range (car tick) columns)))
                     (and at (cons at (cdr tick)))))
                 (%axis-ticks range (+ 1 (quotient columns 12)) #f)))
         (line (make-vector columns "─")))
    (for-each (lambda (tick) (vector-set! line (car tick) "┬")) ticks)
    (print (string (make-string (+ margin 1) #\space) "└"
                   (string-join (vector->list line) "")))
    (print (%tick-line ticks (+ margin 2)))))

(define (%tick-line ticks margin)
  "The texts of ticks, each centred at its column if the one before allows."
  (let loop ((left ticks) (line (make-string margin #\space)))
    (if (null? left)
        line
        (let* ((text (cdar left))
               (begin (- (+ margin (caar left))
                         (quotient (- (string-length text) 1) 2)))
               (gap (- begin (string-length line))))
          (loop (cdr left)
                (cond ((>= gap 1) (string line (make-string gap #\space) text))
                      ((and (<= gap 0) (= (string-length line) margin))
                       (string line (make-string (max 0 gap) #\space) text))
                      (else line)))))))

(define (%print-legend figure margin coloured?)
  "Print the names of the series, if they have some."
  (let ((names (map (lambda (one) (vector-ref one 0))
                    (%figure-series figure))))
    (unless (every string-null? names)
      (print
       (string
        (make-string (+ margin 2) #\space)
        (string-join
         (map (lambda (name k)
                (%coloured-text
                 (string (cond (coloured? "━")
                               ((null? (cdr names)) "⠤")
                               (else (%plot-mark k)))
                         " " name)
                 k coloured?))
              names (iota (length names)))
         "   "))))))
