;; history.lisp - what fit returns: a row of numbers for each epoch.
;;
;;     #<history epochs: 3 last: ((epoch . 3) (step . 96) (loss . 0.21) ...)>

(define %history-type (%record-type 'history #(epochs last #f)))

(define (%history rows)
  (%record %history-type (length rows) (if (pair? rows) (last rows) '()) rows))

(define (history? x)
  "Whether it is what fit returns."
  (%record? x %history-type))

(define (history-rows history)
  "The rows of a history: for each epoch an alist of \"epoch\", \"step\",
  \"loss\", with :validate \"validation-loss\" and the metrics, \"lr\", and
  \"seconds\"."
  (if (history? history)
      (%record-ref history %history-type 2 "history-rows")
      (wrong-type "history-rows" "a history" history)))

(define (history-column history name)
  "The values of one name in all rows, such as \"loss\": what plot takes."
  (map (lambda (row)
         (let ((found (assoc (string name) row)))
           (if found
               (cdr found)
               (error (format "history-column: no column ~s; there are"
                              (string name))
                      (map car row)))))
       (history-rows history)))

(define (plot-history history :names #f :file #f)
  "Plot columns of a history over the epochs, as text, or to a file: see plot.
  names: a list of columns; by default \"loss\", and \"validation-loss\" if
  there is one."
  (let* ((rows (history-rows history))
         (losses (filter (lambda (name)
                           (and (pair? rows) (assoc name (car rows))))
                         '("loss" "validation-loss"))))
    (apply plot
           (append (append-map (lambda (name)
                                 (list (string name)
                                       (history-column history name)))
                               (or names losses))
                   (list :x (history-column history "epoch")
                         :x-label "epoch" :file file)))))

(define (show-history history . port)
  "Print the rows of a history as a table, to a port if one is given."
  (let* ((out (%optional "show-history" 1 port (current-output-port)))
         (rows (history-rows history))
         (names (if (pair? rows) (map car (car rows)) '()))
         (lines (cons names
                      (map (lambda (row)
                             (map (lambda (entry) (%history-cell (cdr entry)))
                                  row))
                           rows)))
         (widths (map (lambda (k)
                        (fold max 0 (map (lambda (line)
                                           (string-length (list-ref line k)))
                                         lines)))
                      (iota (length names)))))
    (for-each (lambda (line)
                (write-string (string-join (map %right-aligned line widths)
                                           "  ")
                              out)
                (newline out))
              lines)))

(define (%history-cell value)
  "A number as a table shows it: rounded, as tensors are printed."
  (if (exact-integer? value)
      (number->string value)
      (string (tensor value :dtype 'float64))))

(define (%right-aligned text width)
  (string (make-string (- width (string-length text)) #\space) text))
