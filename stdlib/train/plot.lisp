;; plot.lisp - curves, points and histograms, as text or in a file.
;;
;;     (plot "train" losses "test" others :title "loss")         prints
;;     (plot "train" losses :x steps :file "loss.svg")           writes a file
;;
;; Here arguments become a figure: series with their values, and the ranges of
;; the axes.  plot-text.lisp prints it, plot-svg.lisp writes it.

;; series is a list of #(name xs ys), vectors of doubles; of a histogram, xs are
;; the edges of the bins, one more than ys.  xs or ys outside the range are not
;; drawn.  With log-y, ys and y-range are logarithms to base 10.
(define-record-type %figure
  (%make-figure kind title x-label y-label log-y series x-range y-range)
  %figure?
  (kind %figure-kind)
  (title %figure-title)
  (x-label %figure-x-label)
  (y-label %figure-y-label)
  (log-y %figure-log-y)
  (series %figure-series)
  (x-range %figure-x-range)     ; (low . high)
  (y-range %figure-y-range))

(define (plot :x #f :kind 'line :title #f :x-label #f :y-label #f
              :x-range #f :y-range #f :log-y #f :bins 20
              :width #f :height #f :file #f . series)
  "Draw series of numbers: (plot \"train\" losses \"test\" others :title \"loss\").

  A series is a list, a vector or a tensor of numbers, with a string before it
  as its name.  Their x are 0, 1, 2 ..., or those of :x; a list of two
  sequences, or a tensor [n, 2], has an x and a y for each point.  NaN and
  infinity leave gaps.  kind is 'line, 'scatter or 'histogram, which counts the
  numbers of each series in :bins equal intervals.

  x-range and y-range are lists of the lowest and highest value to be drawn.
  With :log-y #t the y axis is logarithmic, and only positive values are drawn.

  Without :file the plot is printed as text, :width columns and :height rows,
  with colours on a terminal.  A file that ends with .svg is written by Lambent
  itself, in scripts and in executables; .png and .pdf need a script, and
  Python's package matplotlib.  In files width and height count pixels."
  (%check-plot-choices kind bins width height)
  (let* ((named (%named-series series))
         (series (if (eq? kind 'histogram)
                     (%histogram-series named bins x-range)
                     (%curve-series named x log-y)))
         (figure (%make-figure kind title x-label y-label log-y series
                               (%axis-range "x" x-range series 1 #f)
                               (%y-axis-range kind y-range series log-y))))
    (if file
        (%plot-to-file figure file (or width 640) (or height 400))
        (%print-plot figure width height))))

(define (%check-plot-choices kind bins width height)
  "Raise an error for wrong options."
  (unless (memq kind '(line scatter histogram))
    (wrong-type "plot" "the kind line, scatter or histogram" kind))
  (unless (and (exact-integer? bins) (<= 1 bins 10000))
    (wrong-type "plot" "an exact integer from 1 to 10000 as :bins" bins))
  (for-each
   (lambda (size)
     (unless (or (not size) (and (exact-integer? size) (<= 1 size 10000)))
       (wrong-type "plot" "an exact integer from 1 to 10000 as a size" size)))
   (list width height)))

;; Series.

(define (%named-series arguments)
  "(name . data) of each series; a name is \"\" if it has none."
  (let loop ((left arguments) (name #f) (found '()))
    (cond ((null? left)
           (when name (error "plot: no series follows the name" name))
           (when (null? found)
             (error "plot: expected a series of numbers at least"))
           (reverse found))
          ((and (string? (car left)) (not name))
           (loop (cdr left) (%one-line (car left)) found))
          (else
           (loop (cdr left) #f (cons (cons (or name "") (car left)) found))))))

(define (%curve-series named x log-y)
  "The series of curves or points."
  (let ((shared (and x (%plot-numbers x))))
    (map (lambda (entry)
           (let* ((points (%plot-points (car entry) (cdr entry) shared))
                  (ys (cdr points)))
             (vector (car entry) (car points)
                     (if log-y (vector-map %plot-log10 ys) ys))))
         named)))

(define (%plot-log10 y)
  "The logarithm of a positive number; NaN for others, which are not drawn."
  (if (> y 0.0)
      (let* ((power (/ (log y) (log 10.0))) (whole (round power)))
        (if (< (abs (- power whole)) 1e-12) whole power))   ; 0.01 is at -2
      (/ 0. 0.)))

(define (%plot-points name data shared)
  "(xs . ys) of a series."
  (let* ((pairs (%pairs-of-points data))
         (ys (if pairs (cdr pairs) (%plot-numbers data)))
         (xs (cond (pairs (car pairs))
                   (shared shared)
                   (else (%counted (vector-length ys))))))
    (when (= (vector-length ys) 0)
      (error (string "plot: the series" (%quoted-name name) " is empty")))
    (unless (= (vector-length xs) (vector-length ys))
      (error (string "plot: the series" (%quoted-name name) " has "
                     (vector-length xs) " x and " (vector-length ys) " y")))
    (cons xs ys)))

(define (%counted n)
  "The vector of 0.0, 1.0 ... n - 1."
  (list->vector (map inexact (iota n))))

(define (%quoted-name name)
  "The name of a series in a message."
  (if (string-null? name) "" (string " \"" name "\"")))

(define (%pairs-of-points data)
  "(xs . ys) of data that has both; #f for numbers only."
  (cond ((and (tensor? data) (= (tensor-rank data) 2)
              (= (tensor-size data 1) 2))
         (cons (%plot-numbers (tensor-select data 1 0))
               (%plot-numbers (tensor-select data 1 1))))
        ((and (list? data) (= (length data) 2)
              (every %sequence-of-numbers? data))
         (cons (%plot-numbers (car data)) (%plot-numbers (cadr data))))
        (else #f)))

(define (%sequence-of-numbers? x)
  "Whether it is data rather than a number."
  (or (list? x) (vector? x) (and (tensor? x) (= (tensor-rank x) 1))))

(define (%plot-numbers data)
  "The vector of doubles of a list, a vector or a tensor [n]."
  (let ((items (cond ((list? data) data)
                     ((vector? data) (vector->list data))
                     ((and (tensor? data) (= (tensor-rank data) 1))
                      (tensor->list (detach data)))
                     (else
                      (wrong-type
                       "plot"
                       "a list, a vector or a tensor of numbers in a row"
                       data)))))
    (list->vector (map %plot-number items))))

(define (%plot-number x)
  "A number, or a tensor of one element, as a double."
  (cond ((number? x) (inexact x))
        ((boolean? x) (if x 1.0 0.0))
        ((and (tensor? x) (= (tensor-numel x) 1))
         (%plot-number (tensor-item x)))
        (else (wrong-type "plot" "a number" x))))

;; Histograms.

(define (%histogram-series named bins x-range)
  "Series of the edges of bins and the counts between them."
  (let* ((data (map (lambda (entry)
                      (vector (car entry) '#()
                              (%histogram-numbers (car entry) (cdr entry))))
                    named))
         (range (%axis-range "x" x-range data 2 #f))
         (edges (%bin-edges range bins)))
    (map (lambda (one)
           (vector (vector-ref one 0) edges
                   (%bin-counts (vector-ref one 2) range bins)))
         data)))

(define (%histogram-numbers name data)
  "The numbers of a series, of any shape if they are a tensor's."
  (let ((numbers (%plot-numbers
                  (if (tensor? data) (tensor-reshape data '(-1)) data))))
    (when (= (vector-length numbers) 0)
      (error (string "plot: the series" (%quoted-name name) " is empty")))
    numbers))

(define (%bin-edges range bins)
  "The edges of equal bins."
  (let ((low (car range)) (size (- (cdr range) (car range))))
    (list->vector
     (map (lambda (k) (+ low (* size (/ (inexact k) bins))))
          (iota (+ bins 1))))))

(define (%bin-counts numbers range bins)
  "How many numbers are in each bin; the last one has its upper edge, too."
  (let ((counts (make-vector bins 0.0))
        (low (car range))
        (size (- (cdr range) (car range))))
    (vector-for-each
     (lambda (x)
       (when (<= low x (cdr range))
         (let ((k (min (- bins 1)
                       (exact (floor (* bins (/ (- x low) size)))))))
           (vector-set! counts k (+ (vector-ref counts k) 1.0)))))
     numbers)
    counts))

;; Ranges.

(define (%y-axis-range kind given series log-y)
  "The range of the y axis; that of a histogram begins at 0."
  (let ((given (if (and given log-y) (%log-range given) given)))
    (if (and (eq? kind 'histogram) (not given))
        (cons 0.0 (max 1.0 (cdr (%axis-range "y" #f series 2 #f))))
        (%axis-range "y" given series 2 log-y))))

(define (%log-range given)
  "The logarithms of a range."
  (if (and (list? given) (every number? given) (every positive? given))
      (map (lambda (y) (%plot-log10 (inexact y))) given)
      (wrong-type "plot" "a list of two positive numbers as :y-range" given)))

(define (%axis-range name given series k log?)
  "(low . high): what was given, or where the finite values of the series are;
  k is their index in a series."
  (if given
      (if (and (list? given) (= (length given) 2) (every number? given)
               (every finite? given) (< (car given) (cadr given)))
          (cons (inexact (car given)) (inexact (cadr given)))
          (wrong-type "plot"
                      (string "a list of a low and a high number as :" name
                              "-range")
                      given))
      (let ((range (%extent (map (lambda (one) (vector-ref one k)) series))))
        (unless range
          (error (string "plot: no " name " is a "
                         (if log? "positive" "finite") " number")))
        (%not-empty range))))

(define (%extent vectors)
  "(low . high) of the finite numbers in vectors; #f if there are none."
  (let ((low +inf.0) (high -inf.0))
    (for-each
     (lambda (numbers)
       (vector-for-each
        (lambda (x)
          (when (finite? x)
            (set! low (min low x))
            (set! high (max high x))))
        numbers))
     vectors)
    (and (<= low high) (cons low high))))

(define (%not-empty range)
  "A range that has a size."
  (if (< (car range) (cdr range))
      range
      (let ((more (max 0.5 (* 0.1 (abs (car range))))))
        (cons (- (car range) more) (+ (cdr range) more)))))

;; Ticks.

(define (%plot-ticks range count)
  "At most about that many round numbers within a range, exact."
  (let* ((low (exact (car range)))
         (high (exact (cdr range)))
         (step (%round-step (/ (- high low) count))))
    (let loop ((k (ceiling (/ low step))) (ticks '()))
      (if (> (* k step) high)
          (reverse ticks)
          (loop (+ k 1) (cons (* k step) ticks))))))

(define (%round-step least)
  "The smallest of 1, 2, 5 times a power of 10 that is not below."
  (let* ((power (expt 10 (exact (floor (/ (log (inexact least)) (log 10.0))))))
         (found (find (lambda (m) (>= (* m power) least)) '(1 2 5 10))))
    (* (or found 20) power)))

(define (%axis-ticks range count log?)
  "(place . text) of at most about that many ticks within a range."
  (cond ((not log?)
         (map (lambda (tick)
                (cons (inexact tick) (%short-number (inexact tick) 6)))
              (%plot-ticks range count)))
        ((> (- (floor (cdr range)) (ceiling (car range))) 0.5)
         (map (lambda (tick)
                (cons (inexact tick) (%short-number (expt 10.0 tick) 6)))
              (filter integer?
                      (%plot-ticks range
                                   (min count (- (cdr range) (car range)))))))
        (else      ; less than a power of 10
         (map (lambda (tick)
                (cons (%plot-log10 (inexact tick))
                      (%short-number (inexact tick) 6)))
              (%plot-ticks (cons (expt 10.0 (car range))
                                 (expt 10.0 (cdr range)))
                           count)))))

;; Files.

(define (%plot-to-file figure path width height)
  "Write a figure as the path ends."
  (unless (string? path)
    (wrong-type "plot" "a string as :file" path))
  (cond ((string-suffix? ".svg" path)
         (let ((text (%plot-svg figure width height)))
           (call-with-output-file path
             (lambda (port) (write-string text port)))))
        ((or (string-suffix? ".png" path) (string-suffix? ".pdf" path))
         (%check-drawn
          (%draw-plot path (%figure-list figure width height)) path))
        (else
         (error (string "plot: a plot's file ends with .svg, .png or .pdf, got")
                path))))

(define (%check-drawn result path)
  "Raise an error unless the primitive has drawn the plot."
  (cond ((eq? result #f)
         (%error-with-hint
          "plot: only scripts write .png and .pdf files, this is an executable"
          '() (string "write \"" (substring path 0 (- (string-length path) 4))
                      ".svg\", which executables can; every browser shows it")))
        ((string? result)
         (%error-with-hint (string "plot: " result) '()
                           "pip install matplotlib, or write a .svg file"))))

(define (%figure-list figure width height)
  "A figure as nested lists, for the primitive."
  (list (symbol->string (%figure-kind figure))
        (%figure-title figure) (%figure-x-label figure)
        (%figure-y-label figure) (%figure-log-y figure)
        (%figure-x-range figure) (%figure-y-range figure)
        width height (%figure-series figure)))

;; Logs.

(define (plot-log path :x #f :title #f :log-y #f :width #f :height #f :file #f
                  . columns)
  "Plot columns of a training log: (plot-log \"run.csv\" \"loss\" \"test_loss\").

  path is a .csv or .jsonl file, or the rows of read-log.  x is the column of
  the x axis, by default step or epoch if there is one, otherwise the rows are
  counted.  Rows without a number in a column are left out.  The other options
  are those of plot."
  (let* ((rows (if (string? path) (read-log path) path))
         (x (or x (find (lambda (name) (any (lambda (row) (assoc name row))
                                            rows))
                        '("step" "epoch")))))
    (when (null? columns)
      (error "plot-log: expected the name of a column at least"))
    (apply plot
           (append
            (append-map (lambda (name) (list name (%log-points rows x name)))
                        columns)
            (list :title title :x-label x :log-y log-y :width width
                  :height height :file file)))))

(define (%log-points rows x name)
  "The list of xs and ys of a column."
  (let* ((points (filter-map
                  (lambda (row k)
                    (let ((y (assoc name row))
                          (at (if x (assoc x row) (cons "" k))))
                      (and y at (number? (cdr y)) (number? (cdr at))
                           (cons (cdr at) (cdr y)))))
                  rows (iota (length rows)))))
    (when (null? points)
      (error "plot-log: no row has a number in the column" name))
    (list (map car points) (map cdr points))))
