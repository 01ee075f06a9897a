;; cleaning.lisp - from a table as people keep it to a model of prices.
;;
;;     lambent examples/cleaning.lisp FLATS.csv CLEAN.csv
;;
;; The table has the columns date, town, area, rooms and price.  Rows that can be
;; mended are mended, the others are counted by what is wrong with them, and a
;; small network learns the price.  Without arguments the program makes a table of
;; 400 flats in a temporary folder, with the mistakes that tables have.

;; Reading one row.  A cell that cannot be read is an error of its column.

(define-record-type flat
  (make-flat date town area rooms price)
  flat?
  (date flat-date)      ; "2026-03-14"
  (town flat-town)      ; a symbol
  (area flat-area)      ; square metres
  (rooms flat-rooms)
  (price flat-price))   ; thousands of euros

(define towns 
  '((berlin "berlin" "bln")
    (hamburg "hamburg" "hh")
    (munich "munich" "muenchen" "münchen")))

(define (refuse column) (raise column))

(define (number-of text column)
  (or (string->number (string-trim text)) (refuse column)))

(define (parts pattern text)
  "The text and its groups, if the whole text is of the pattern; #f if not."
  (let ((m (regexp-matches (pregexp pattern) text)))
    (and m (regexp-match->list m))))

(define (read-date text)
  (match (or (parts "(\\d{4})-(\\d\\d)-(\\d\\d)" text)
             (parts "(\\d{1,2})[./](\\d{1,2})[./](\\d{4})" text))
    ((_ first month last)
     (if (= 4 (string-length first))
         text
         (format "~a-~2,'0d-~2,'0d" last (string->number month) (string->number first))))
    (_ (refuse 'date))))

(define (read-town text)
  (let ((name (string-downcase (string-trim text))))
    (match (find (lambda (row) (member name (cdr row))) towns)
      ((town . _) town)
      (#f (refuse 'town)))))

(define (read-area text)
  "Square metres, of a text in these or in square feet."
  (match (parts "\\s*([\\d.]+)\\s*(m2|m²|sqft)?\\s*" text)
    ((_ size "sqft") (* 0.0929 (number-of size 'area)))
    ((_ size _) (number-of size 'area))
    (_ (refuse 'area))))

(define (read-price text)
  "Thousands of euros."
  (match (parts "([\\d.]+)([kK]?)" (regexp-replace-all (pregexp "[€,\\s]") text ""))
    ((_ amount "") (/ (number-of amount 'price) 1000.0))
    ((_ amount _) (inexact (number-of amount 'price)))
    (_ (refuse 'price))))

(define (read-flat cells)
  (match cells
    ((date town area rooms price)
     (let ((flat (make-flat (read-date date) (read-town town) (read-area area)
                            (number-of rooms 'rooms) (read-price price))))
       (if (< 5 (flat-area flat) 1000) flat (refuse 'area))))
    (_ (refuse 'cells))))

;; The whole table.

(define (clean rows)
  "The flats of rows of texts, each once, and a hash table of how many rows were refused for what."
  (define problems (make-hash-table))
  (define seen (make-hash-table))
  (define (note! problem) (hash-table-update!/default problems problem (lambda (n) (+ n 1)) 0) #f)
  (define flats
    (filter-map
     (lambda (cells)
       (guard (column ((symbol? column) (note! column)))
         (let* ((flat (read-flat cells)) (key (record-fields flat)))
           (cond ((hash-table-contains? seen key) (note! 'again))
                 (else (hash-table-set! seen key #t) flat)))))
     rows))
  (values flats problems))

(define (texts cells)
  "The cells as they stand in the file: read-csv has read the numbers."
  (map (lambda (cell) (if (number? cell) (number->string cell) cell)) cells))

(define (write-flats path flats)
  "Write the table without mistakes; numbers with one digit after the point."
  (define (short x) (/ (round (* 10.0 x)) 10.0))
  (write-csv path
             (cons '("date" "town" "area" "rooms" "price")
                   (map (lambda (flat)
                          (list (flat-date flat) (flat-town flat) (short (flat-area flat))
                                (flat-rooms flat) (short (flat-price flat))))
                        flats))))

;; The model.

(define (learn path)
  "Print how well a network predicts the prices of flats that it has not seen."
  (manual-seed 1)
  (define table (csv-dataset path :columns '("town" "area" "rooms") :target "price"))
  (let-list (((train test) (split-dataset table '(3/4 1/4) :seed 2)))
    (let* ((x (car (dataset-tensors train))) (y (cadr (dataset-tensors train)))
           (inputs (standardizer x)) (prices (standardizer y))
           (model (sequential (linear (cadr (tensor-shape x)) 16) tensor-tanh
                              (linear 16 1) (flatten :start-dim 0)))
           (optimizer (adam (parameters model) :lr 0.02)))
      (dotimes (step 300)
        (zero-grad optimizer)
        (backward (mse-loss (model (scale inputs x)) (scale prices y)))
        (optimizer-step optimizer))
      (let* ((x (car (dataset-tensors test))) (y (cadr (dataset-tensors test)))
             (predicted (no-grad (unscale prices (model (scale inputs x)))))
             (off (tensor-mean (tensor-abs (- predicted y)))))
        (format #t "~a flats to learn from, ~a to test; the price is off by about ~a %~%"
                (dataset-length train) (dataset-length test)
                (exact (round (tensor-item (* 100 (/ off (tensor-mean y)))))))))))

;; A table with mistakes.

(define (messy-row random)
  "One row.  random: a procedure of n that returns an integer below n."
  (define (one-of . items) (list-ref items (random (length items))))
  (let* ((town (random 3)) (area (+ 20 (random 120))) (rooms (+ 1 (quotient area 30)))
         (price (+ (* area (list-ref '(5 6 9) town)) (* 10 rooms) (random 30))))
    (list (one-of (format "2026-0~a-1~a" (+ 1 (random 9)) (random 10))
                  (format "~a.~a.2026" (+ 1 (random 28)) (+ 1 (random 12)))
                  "2026-05-05"
                  (one-of "soon" "2026-06-07"))
          (case town
            ((0) (one-of "Berlin" "berlin " "BLN"))
            ((1) (one-of "Hamburg" "HH"))
            (else (one-of "Munich" "München" "Muenchen")))
          (one-of area (format "~a m2" area) (format "~,1f sqft" (/ area 0.0929)))
          (if (= 0 (random 40)) "" rooms)
          (one-of (* 1000 price) (format "~ak" price) (format "€ ~:d" (* 1000 price))
                  (if (= 0 (random 9)) "ask" (* 1000 price))))))

(define (write-messy path)
  (define state 7)
  (define (random n)
    (set! state (modulo (+ (* 1103515245 state) 12345) 2147483648))
    (modulo (quotient state 65536) n))
  (define rows
    (append-map
     (lambda (i)
       (let ((row (messy-row random)))
         (if (= 0 (random 30)) (list row row) (list row))))
     (iota 400)))
  (write-csv path (cons '("date" "town" "area" "rooms" "price") rows)))

(define (run from to)
  (receive (flats problems) (clean (map texts (cdr (read-csv from))))
    (write-flats to flats)
    (format #t "~a flats are clean~%" (length flats))
    (for-each
     (lambda (problem) (format #t "  ~8a ~3d~%" problem (hash-table-ref problems problem)))
     (sort (hash-table-keys problems)
           (lambda (a b) (string<? (symbol->string a) (symbol->string b)))))
    (learn to)))

(match (cdr (command-line))
  ((from to) (run from to))
  (_ (call-with-temporary-folder
      (lambda (folder)
        (write-messy (path-join folder "flats.csv"))
        (run (path-join folder "flats.csv") (path-join folder "clean.csv"))))))
