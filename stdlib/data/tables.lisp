;; tables.lisp - tables of comma-separated values as columns and datasets.
;;
;; ctorch reads the columns (ctorch/data/csv.cpp): read-csv builds a list for
;; each row, which takes too long for large files.

(define (read-table path :header 'auto :separator ",")
  "The columns of a table of comma-separated values: a hash table from their
  names to tensors, int64 if all fields are integers, else float64, or to lists
  of strings if a field is not a number.

  header: whether the first row has the names; 'auto: if no field of it is a
  number.  Without a header the names are \"0\", \"1\" and so on.  In a column
  of numbers, empty fields, NA and nan are nan.  Quotes are those of RFC 4180.
  Rows of different lengths are an error that names line and column.  There are
  a million columns at most: each takes a kilobyte."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry)
                (when (hash-has-key? table (car entry))
                  (error (format "read-table: ~s has two columns named ~s"
                                 path (car entry))))
                (hash-set! table (car entry) (cdr entry)))
              (%table-columns "read-table" path header separator))
    table))

(define (%table-columns who path header separator)
  "The columns of a table as an alist of names and columns."
  (let* ((read (%procedure who path separator
                           (if (eq? header 'auto) 'auto (if header #t #f))))
         (columns (cadr read)))
    (map cons
         (if (null? (car read))
             (map number->string (iota (length columns)))
             (car read))
         columns)))

(define (csv-dataset path :target #f :columns #f :header 'auto
                     :separator "," :dtype 'float32 :like #f)
  "The dataset of a table's rows: examples (features target), or (features) if
  there is no target.

  target: the name of its column, or its index; negative ones count from the
  end.  A text target becomes the int64 number of its class, whose names, which
  are sorted, dataset-classes returns; integers stay int64; other numbers get
  the dtype.  columns: names or indices of the features; all others are used if
  it is #f.  Features are one tensor of that dtype, with a column for each
  numeric one, and for a text one as many as it has different values, 1 where
  the row has the value.  dataset-columns returns their names.  like: a dataset
  from csv-dataset whose columns and classes are used, as for test data.
  header and separator: see read-table."
  (let* ((table (%table-columns "csv-dataset" path header separator))
         (plan (if like
                   (%plan-like like)
                   (%table-plan table path target columns)))
         (target (%plan-ref plan 'target))
         (parts (append-map
                 (lambda (entry) (%feature-columns table path entry dtype))
                 (%plan-ref plan 'features)))
         (features (tensor-stack (map cdr parts) 1))                ; [n, k]
         (tensors (if target
                      (list features
                            (%target-column table path target dtype))
                      (list features))))
    (%dataset 'csv (car (tensor-shape features)) tensors #f #f
              (list (cons 'plan plan)
                    (cons 'columns (map car parts))
                    (cons 'classes (and target (cdr target)))))))

(define (dataset-columns d)
  "The names of the features of a dataset from csv-dataset; #f for others."
  (%check-dataset "dataset-columns" d)
  (%dataset-fact d 'columns))

;; A plan says what becomes of the columns: a list of features and a target,
;; each a pair of a name and #f, or the sorted values of a text column.

(define (%plan-ref plan name)
  "An entry of a plan."
  (cdr (assq name plan)))

(define (%plan-like d)
  "The plan of a dataset from csv-dataset."
  (or (and (dataset? d) (%dataset-fact d 'plan))
      (wrong-type "csv-dataset" "a dataset from csv-dataset" d)))

(define (%table-plan table path target columns)
  "The plan for a table's columns."
  (let* ((target (and target (%column-named table path target)))
         (features (if columns
                       (map (lambda (c) (%column-named table path c)) columns)
                       (filter (lambda (entry) (not (eq? entry target)))
                               table))))
    (when (null? features)
      (error (format "csv-dataset: ~s has no column for features" path)))
    (list (cons 'features (map %column-plan features))
          (cons 'target (and target (%column-plan target))))))

(define (%column-plan entry)
  "The plan of one column: its name, and the values of a text column, sorted."
  (cons (car entry)
        (and (not (tensor? (cdr entry)))
             (%distinct-texts (cdr entry)))))

(define (%distinct-texts texts)
  "The different strings of a list, sorted."
  (let ((seen (make-hash-table)))
    (for-each (lambda (x) (hash-set! seen x #t)) texts)
    (sort (hash-keys seen) string<?)))

(define (%column-named table path column)
  "The entry of a table's column, by its name or its index."
  (let ((n (length table)))
    (cond ((and (string? column) (assoc column table)))
          ((and (exact-integer? column) (<= (- n) column) (< column n))
           (list-ref table (if (< column 0) (+ n column) column)))
          (else
           (%error-with-hint
            (format "csv-dataset: ~s has no column ~s" path column) '()
            (string-append
             "its columns: "
             (string-join (map car (take table (min n 20))) ", ")
             (if (> n 20) " ..." "")))))))

(define (%feature-columns table path plan dtype)
  "The features that a planned column becomes: an alist of names and tensors."
  (let ((column (cdr (%column-named table path (car plan)))))
    (cond ((cdr plan)
           (let ((codes (%text-codes column path plan)))
             (map (lambda (value k)
                    (cons (string-append (car plan) "=" value)
                          (tensor-to (tensor-eq codes k) dtype)))
                  (cdr plan) (iota (length (cdr plan))))))
          ((tensor? column)
           (list (cons (car plan) (tensor-to column dtype))))
          (else (%column-is-text path (car plan) column)))))

(define (%target-column table path plan dtype)
  "The tensor of the target."
  (let ((column (cdr (%column-named table path (car plan)))))
    (cond ((cdr plan) (%text-codes column path plan))
          ((not (tensor? column)) (%column-is-text path (car plan) column))
          ((eq? (tensor-dtype column) 'int64) column)
          (else (tensor-to column dtype)))))

(define (%text-codes texts path plan)
  "The indices of the texts among the values of the plan, int64 [n]."
  (let ((codes (make-hash-table)))
    (for-each (lambda (value k) (hash-set! codes value k))
              (cdr plan) (iota (length (cdr plan))))
    (when (tensor? texts)
      (error (format "csv-dataset: ~s: expected text in column ~s, got numbers"
                     path (car plan))))
    (tensor (map (lambda (x)
                   (or (hash-ref codes x #f)
                       (%unknown-value path (car plan) x)))
                 texts)
            :dtype 'int64 :device "cpu")))

(define (%unknown-value path name value)
  "Raise the error for a value of a text column that has no number."
  (error (format "csv-dataset: ~s: column ~s has ~s, which the other dataset \
does not have"
                 path name value)))

(define (%column-is-text path name texts)
  "Raise the error for text in a column that has numbers in another dataset."
  (error (format "csv-dataset: ~s: expected numbers in column ~s, got ~s"
                 path name
                 (or (find (lambda (x) (not (string->number (string-trim x))))
                           texts)
                     (car texts)))))
