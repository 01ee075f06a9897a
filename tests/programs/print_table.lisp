; print-table: rows with aligned columns.
(print-table '((ada 36 1.5) (bob 4 2.25) #("c\nd" 7)) :header '(name age score) :decimals 2)  ; => name  age  score
  ; => ----  ---  -----
  ; => ada    36   1.50
  ; => bob     4   2.25
  ; => c\nd    7
(print-table '((1 2) (3 44)) :align '(left center) :separator " | ")  ; => 1 | 2
  ; => 3 | 44
(print-table '() :header '(a b))  ; => a  b
  ; => -  -
(print-table (vector '(x) '(1)) :align 'right :port (current-output-port))  ; => x
  ; => 1
(print (table->string '(("x" 1)) :align 'right))  ; => x  1
  ; =>
(print (table->string '((a) (b c d)) :header '#("one")))  ; => one
  ; => ---  -  -
  ; => a
  ; => b    c  d
  ; =>
(define (fails thunk) (print (guard (e (#t (error-object-message e))) (thunk))))
(fails (lambda () (print-table 5)))  ; => print-table: expected a list of rows, got 5
(fails (lambda () (print-table '(5))))  ; => print-table: expected a list or vector for each row, got 5
(fails (lambda () (print-table '((5)) :align 'middle)))  ; => print-table: expected left, right, center or auto for :align, got middle
(fails (lambda () (print-table '((5)) :align 7)))  ; => print-table: expected left, right, center or auto for :align, got 7
(print (string-length (table->string (map (lambda (n) (list n (* n n))) (iota 20000)))))  ; => 340000
