; read takes tensors as write gives them, with the dtype that a literal would have.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(define (from text) (read (open-input-string text)))
(define (again x) (from (format "~s" x)))
(print (from "[[1.0 2.0]]") (tensor-dtype (from "[1 2]")) (tensor-dtype (from "[1 2.5]")) (from "[#t #f]") (from "[]")) ; => [[1.0 2.0]] int64 float32 [#t #f] []
(define x (tensor-div (tensor-reshape (tensor-arange 24) 2 3 4) 7))
(print (equal? x (again x)) (equal? [[1 -2] [3 4]] (again [[1 -2] [3 4]])) (equal? [#t #f] (again [#t #f]))) ; => #t #t #t
(print (again [+inf.0 -inf.0 -0.0 1e-40 16777216.0]) (tensor-shape (again (tensor-zeros 2 0))) (again (tensor 2.5))) ; => [inf -inf 0.0 9.9999e-41 1.6777e+07] (2 0) 2.5
(print (from "(a [1 2] . #([[3]]))") (from "#;[1 [2]] 7") (from "[1 #;[2 3] 2 ; two\n]") (from "[#xff 1/2]")) ; => (a [1 2] . #([[3]])) 7 [1 2] [255.0 0.5]
(print (tensor->list (tensor-add (from "[1 2]") 1)) (tensor-shape (again (tensor-zeros 100 30)))) ; => (2 3) (100 30)
(for-each (lambda (text) (print (message (from text))))
          '("[[1 2] [3]]" "[1 [2]]" "[1 a]" "[1 (2)]" "[1 \"x\"]" "[1 2" "[1 2)" "(1 2]" "[1 . 2]" "[100000000000000000000]" "['a]" "[1+2i]"))
; => read: ragged data: expected a row of 2 at index 1, got (3) at line 1, column 1
; => read: ragged data: expected a number at index 1, got (2) at line 1, column 1
; => read: not a number or boolean: a at line 1, column 4
; => read: not a number or boolean at line 1, column 4
; => read: not a number or boolean: "x" at line 1, column 4
; => read: unclosed [ at line 1, column 1
; => read: [ opened at 1:1 is closed by ) at line 1, column 5
; => read: ( opened at 1:1 is closed by ] at line 1, column 5
; => read: unexpected . at line 1, column 4
; => read: 100000000000000000000 does not fit into int64 at line 1, column 1
; => read: not a number or boolean at line 1, column 2
; => read: complex numbers are not supported: 1+2i at line 1, column 2
(print (message (from (make-string 65 #\[))))     ; => read: a tensor has at most 64 dimensions at line 1, column 65
(print (tensor-rank (from (string-append (make-string 64 #\[) "1" (make-string 64 #\]))))) ; => 64
