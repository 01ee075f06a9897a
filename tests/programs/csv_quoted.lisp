; Quoted fields, Windows line ends, an empty line, a fraction that stays text, another separator.
(for-each (lambda (row) (write row) (newline))
          (read-csv "tests/programs/data/quoted.csv"))
; => ("name" "note" "n")
; => ("Smith, J" "said \"hi\"" "1/2")
; => ("plain" "two\nlines" 7)
; => ("x" "" -1500.0)
(print (read-csv "tests/programs/data/tabs.tsv" :separator "\t")) ; => ((1 2) (3 4))
