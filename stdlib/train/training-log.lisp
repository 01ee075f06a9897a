;; training-log.lisp - the numbers of a training run, as rows of a file that
;; other tools read.
;;
;;     run.csv                      run.jsonl
;;     step,loss,note               {"step":1,"loss":0.5}
;;     1,0.5,                       {"step":2,"loss":"NaN","note":"a, b"}
;;     2,nan,"a, b"
;;
;; A row is one write to the file, so a run that is killed leaves whole rows; a
;; line without its end is cut off when the log is opened again.

;; kind is csv or jsonl.  columns are those of a CSV file, #f before the first
;; row.
(define %log-type (%record-type 'training-log #(path kind #f #f)))

(define (training-log path :keep #f :fresh #f)
  "Open a log, a file that ends with .csv or .jsonl, to write rows at its end.

  The rows of an existing file are kept, so a resumed run continues its log.
  With :keep only those for which the procedure returns true, called with a row
  as read-log has it: (lambda (row) (< (cdr (assoc \"step\" row)) step)) drops
  what the resumed run will write again.  With :fresh #t the file begins anew."
  (let ((kind (%log-kind "training-log" path)))
    (if (and (file-exists? path) (not fresh))
        (%trim-log path kind keep)
        (call-with-output-file path (lambda (port) #f)))
    (%record %log-type path kind (%log-columns path kind)
             (open-output-file path :append #t))))

(define (training-log? x)
  "Whether it is a log of training-log."
  (%record? x %log-type))

(define (log-write! log row)
  "Write a row, an alist or a hash table of column names and values, and flush
  it: (log-write! log (list (cons \"step\" 1) (cons \"loss\" loss))).

  A value is a number, a string, a symbol, a boolean or a tensor of one element.
  In CSV files NaN and infinity are nan, inf and -inf; in JSON lines the strings
  \"NaN\", \"Infinity\" and \"-Infinity\", because JSON has no such numbers.

  Rows may have different columns: a JSON line has those of its row; in a CSV
  file a column that is missing is empty, and when a new one appears the file is
  written again with that column at the end, empty in the rows before."
  (let* ((port (%log-port "log-write!" log))
         (entries (%log-entries row)))
    (if (eq? (%log-field log 1) 'csv)
        (%write-csv-row log entries)
        (%log-line port (string (%log-json entries) "\n")))))

(define (log-close! log)
  "Close a log.  One that nobody refers to is closed, too."
  (close-port (%log-port "log-close!" log)))

(define (read-log path)
  "The rows of a log, a .csv or .jsonl file: a list of alists of column names and
  values.

  Columns that a row does not have are left out.  Numbers, nan, inf, true and
  false in a CSV file are numbers and booleans unless they are in double quotes.
  A last line without its end is not complete, and left out."
  (let ((kind (%log-kind "read-log" path)))
    (map (lambda (record) (cdr record)) (%log-records path kind))))

(define (log-column rows name)
  "The values of a column in the rows of read-log that have it."
  (filter-map (lambda (row)
                (let ((found (assoc name row)))
                  (and found (cdr found))))
              rows))

;; The parts of a log.

(define (%log-kind who path)
  "csv or jsonl, by the end of a path."
  (unless (string? path)
    (wrong-type who "a string" path))
  (cond ((string-suffix? ".csv" path) 'csv)
        ((string-suffix? ".jsonl" path) 'jsonl)
        (else (error (string who ": a log ends with .csv or .jsonl, got")
                     path))))

(define (%log-field log k)
  (%record-ref log %log-type k "log-write!"))

(define (%log-port who log)
  "The port of a log; an error if it is closed."
  (unless (training-log? log)
    (wrong-type who "a log" log))
  (let ((port (%log-field log 3)))
    (unless (output-port-open? port)
      (error (string who ": the log is closed: " (%log-field log 0))))
    port))

(define (%log-line port text)
  "Write whole lines at once."
  (write-string text port)
  (flush-output-port port))

;; Rows to be written.

(define (%log-entries row)
  "A row as an alist of strings and plain values, checked."
  (let ((row (if (hash-table? row) (hash->list row) row)))
    (unless (and (list? row) (pair? row) (every pair? row))
      (wrong-type "log-write!"
                  "an alist or a hash table with a column at least" row))
    (let ((entries (map (lambda (entry)
                          (let ((name (%log-name (car entry))))
                            (cons name (%log-value name (cdr entry)))))
                        row)))
      (%check-names-differ entries)
      entries)))

(define (%log-name name)
  "The name of a column, as a string."
  (cond ((string? name) name)
        ((symbol? name) (symbol->string name))
        (else (wrong-type "log-write!"
                          "a string or a symbol as a column's name" name))))

(define (%check-names-differ entries)
  "Raise an error for a column that a row has twice."
  (let loop ((left entries))
    (unless (null? left)
      (when (assoc (car (car left)) (cdr left))
        (error "log-write!: a column is given twice:" (car (car left))))
      (loop (cdr left)))))

(define (%log-value name x)
  "A value as files hold it."
  (cond ((or (exact-integer? x) (string? x) (boolean? x)) x)
        ((number? x) (inexact x))
        ((symbol? x) (symbol->string x))
        ((and (tensor? x) (= (tensor-numel x) 1))
         (%log-value name (tensor-item x)))
        (else
         (wrong-type
          "log-write!"
          (string "a number, a string, a boolean or a tensor of one element"
                  " in the column " name)
          x))))

;; JSON lines.

(define %log-numbers '(("NaN" . +nan.0) ("Infinity" . +inf.0)
                       ("-Infinity" . -inf.0)))

(define (%log-json entries)
  "The JSON object of a row."
  (string "{"
          (string-join
           (map (lambda (entry)
                  (string (json->string (car entry)) ":"
                          (json->string (%json-log-value (cdr entry)))))
                entries)
           ",")
          "}"))

(define (%json-log-value x)
  "A value, or the string for a number that JSON does not have."
  (cond ((not (and (number? x) (not (finite? x)))) x)
        ((nan? x) "NaN")
        (else (if (> x 0) "Infinity" "-Infinity"))))

;; CSV files.

(define (%write-csv-row log entries)
  "Write a row, after the columns if it is the first, or has new ones."
  (let* ((columns (%log-field log 2))
         (new (remove (lambda (name) (member name (or columns '())))
                      (map car entries)))
         (all (append (or columns '()) new)))
    (when (pair? new)
      (%record-set! log %log-type 2 all "log-write!")
      (when columns (%widen-log log (length new))))
    (%log-line (%log-field log 3)
               (string (if columns "" (%csv-text all))
                       (%csv-text (map (lambda (name)
                                         (let ((found (assoc name entries)))
                                           (if found (cdr found) '())))
                                       all))))))

(define (%csv-text values)
  "One line of values; () is an empty field."
  (string (string-join (map %csv-field values) ",") "\n"))

(define (%csv-field x)
  "The text of a value."
  (cond ((null? x) "")
        ((boolean? x) (if x "true" "false"))
        ((string? x) (if (%needs-quotes? x) (%in-csv-quotes x) x))
        ((or (exact-integer? x) (finite? x)) (number->string x))
        ((nan? x) "nan")
        (else (if (> x 0) "inf" "-inf"))))

(define (%needs-quotes? text)
  "Whether a field of that text would be read as something else."
  (or (not (equal? (%csv-log-value text) text))
      (not (string=? (string-trim text) text))
      (any (lambda (c) (or (memv c '(#\, #\")) (char<? c #\space)))
           (string->list text))))

(define (%csv-log-value text)
  "What a field without quotes stands for; #f if it is empty."
  (let ((plain (string-trim text)))
    (cond ((string-null? plain) #f)
          ((assoc (string-downcase plain)
                  '(("nan" . +nan.0) ("inf" . +inf.0) ("-inf" . -inf.0)
                    ("true" . #t) ("false" . #f)))
           => cdr)
          (else (%csv-value text)))))

(define (%widen-log log count)
  "Write the file again, with more columns that the rows so far do not have."
  (let* ((path (%log-field log 0))
         (commas (make-string count #\,))
         (records (%log-records path 'csv)))
    (close-port (%log-field log 3))
    (%replace-log path
                  (cons (%csv-text (%log-field log 2))
                        (map (lambda (record)
                               (string (car record) commas "\n"))
                             records)))
    (%record-set! log %log-type 3 (open-output-file path :append #t)
                  "log-write!")))

(define (%replace-log path lines)
  "Give a file other lines, in one step."
  (let ((new (string path ".new")))
    (call-with-output-file new
      (lambda (port)
        (for-each (lambda (line) (write-string line port)) lines)))
    (rename-file new path)))

;; Reading.  A record is the text of a row and, as an alist, its values.

(define (%log-records path kind)
  "The records of the complete lines of a log."
  (let ((rows (%log-texts (%file-text path) kind)))
    (cond ((eq? kind 'jsonl) (map (lambda (row) (%json-record path row)) rows))
          ((null? rows) '())
          (else
           (let ((columns (map cdr (%csv-fields (cdr (car rows))))))
             (map (lambda (row) (%csv-record path columns row))
                  (cdr rows)))))))

(define (%log-columns path kind)
  "The columns of a CSV file; #f if there are none yet."
  (let ((rows (if (eq? kind 'csv)
                  (%log-texts (%file-text path) kind)
                  '())))
    (if (null? rows) #f (map cdr (%csv-fields (cdr (car rows)))))))

(define (%file-text path)
  "The text of a file."
  (let ((text (call-with-input-file path port->string)))
    (if (string? text) text "")))

(define (%log-texts text kind)
  "(line . text) of each complete row: lines without their end, joined where a
  quoted field has several.  Empty ones are left out."
  (let loop ((left (drop-right (string-split text "\n") 1))
             (number 1) (begun 1) (open '()) (rows '()))
    (if (null? left)
        (reverse rows)
        (let* ((line (%without-return (car left)))
               (all (cons line open))
               (begun (if (null? open) number begun))
               (open? (and (eq? kind 'csv)
                           (eq? (%odd-quotes? line) (null? open)))))
          (cond (open? (loop (cdr left) (+ number 1) begun all rows))
                ((and (null? open) (string-null? line))
                 (loop (cdr left) (+ number 1) begun '() rows))
                (else
                 (loop (cdr left) (+ number 1) begun '()
                       (cons (cons begun (string-join (reverse all) "\n"))
                             rows))))))))

(define (%without-return line)
  "A line without the carriage return of Windows at its end."
  (if (string-suffix? "\r" line)
      (substring line 0 (- (string-length line) 1))
      line))

(define (%json-record path row)
  "The record of a JSON line."
  (let ((value (guard (e ((error-object? e) #f)) (string->json (cdr row)))))
    (unless (hash-table? value)
      (error (string "read-log: " path ", line " (car row)
                     ": expected a JSON object")))
    (cons (cdr row)
          (map (lambda (entry)
                 (cons (car entry)
                       (let ((found (assoc (cdr entry) %log-numbers)))
                         (if found (cdr found) (cdr entry)))))
               (hash->list value)))))

(define (%csv-record path columns row)
  "The record of a CSV line."
  (let ((fields (%csv-fields (cdr row))))
    (unless (= (length fields) (length columns))
      (error (string "read-log: " path ", line " (car row) ": expected "
                     (length columns)
                     (if (= (length columns) 1) " field" " fields") ", got "
                     (length fields))))
    (cons (cdr row)
          (filter-map
           (lambda (name field)
             (cond ((car field) (cons name (cdr field)))
                   ((string-null? (string-trim (cdr field))) #f)
                   (else (cons name (%csv-log-value (cdr field))))))
           columns fields))))

(define (%csv-fields record)
  "(quoted? . text) of each field of a record."
  (let loop ((chars (string->list record))
             (field '()) (inside? #f) (quoted? #f) (fields '()))
    (define (done) (cons (cons quoted? (%field-text field)) fields))
    (cond ((null? chars) (reverse (done)))
          ((and inside? (char=? (car chars) #\") (pair? (cdr chars))
                (char=? (cadr chars) #\"))
           (loop (cddr chars) (cons #\" field) #t #t fields))
          ((char=? (car chars) #\")
           (loop (cdr chars) field (not inside?) #t fields))
          ((and (char=? (car chars) #\,) (not inside?))
           (loop (cdr chars) '() #f #f (done)))
          (else
           (loop (cdr chars) (cons (car chars) field) inside? quoted?
                 fields)))))

;; Opening again.

(define (%trim-log path kind keep)
  "Cut an unfinished line off a log, and drop the rows that are not kept."
  (let* ((text (%file-text path))
         (rows (%log-texts text kind))
         (header (if (and (eq? kind 'csv) (pair? rows))
                     (list (cdr (car rows)))
                     '()))
         (records (%log-records path kind))
         (kept (if keep
                   (filter (lambda (record) (keep (cdr record))) records)
                   records))
         (lines (map (lambda (line) (string line "\n"))
                     (append header (map car kept)))))
    (unless (string=? (string-join lines "") text)
      (%replace-log path lines))))
