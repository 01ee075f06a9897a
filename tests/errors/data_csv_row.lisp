; A row that is longer than the first: the message names the file, the line and the column.
(define d (csv-dataset "../programs/data/ragged.csv" :target -1))

; error, status 70:
; data_csv_row.lisp:2:11: csv-dataset: "../programs/data/ragged.csv", line 3, column 2: expected 2 fields, got 1
;   2 | (define d (csv-dataset "../programs/data/ragged.csv" :target -1))
;     |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: the first row has 2 fields
