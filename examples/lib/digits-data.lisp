;; digits-data.lisp - the images of data/digits.csv, for the digits examples.

(define (digits-path)
  "The program's argument, or the file in data/ beside the program or here."
  (cond ((pair? (cdr (command-line))) (cadr (command-line)))
        ((find file-exists?
               (list (string-append (program-folder) "/data/digits.csv")
                     "examples/data/digits.csv")))
        (else "data/digits.csv")))

(define (digits-datasets)
  "Two datasets, four fifths and one fifth of the images in random order: rows
  of 64 pixels from 0 to 1, and the digit that they show."
  (let-list (((pixels digits)
              (dataset-tensors
               (csv-dataset (digits-path) :target -1 :header #f))))
    (apply values
           (split-dataset (tensor-dataset (/ pixels 16) digits) '(0.8 0.2)
                          :seed 1))))

(define (four-decimals x)
  "x rounded, as people like to read it."
  (/ (round (* x 10000)) 10000))
