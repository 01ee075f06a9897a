; A quoted field that the file ends in.
(print (read-csv "../programs/data/unclosed.csv"))

; error, status 70:
; unclosed_csv_quote.lisp:2:8: read-csv: ../programs/data/unclosed.csv, line 1: a quote is never closed
;   2 | (print (read-csv "../programs/data/unclosed.csv"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
