; A row that is not as wide as the first: the message names the file and its line.
(define (load-table path) (length (read-csv path)))
(print (load-table "../programs/data/ragged.csv"))

; error, status 70:
; ragged_csv.lisp:2:35: read-csv: ../programs/data/ragged.csv, line 3: expected 2 fields, got 1
;   2 | (define (load-table path) (length (read-csv path)))
;     |                                   ^^^^^^^^^^^^^^^
;   in load-table, called at ragged_csv.lisp:3:8
