; Brackets that do not line up; what tensors do at run time.
(define rows 2)
(print [[1 rows] [3]])

; error, status 65:
; ragged_literal.lisp:3:18: ragged tensor literal: expected a row of 2, got a row of 1
;   3 | (print [[1 rows] [3]])
;     |                  ^^^
