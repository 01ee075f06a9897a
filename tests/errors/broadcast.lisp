; Generic arithmetic names itself as it was written.
(define a (tensor-ones 2 3))
(print (+ a [1 2]))

; error, status 70:
; broadcast.lisp:3:8: +: shapes (2 3) and (2) do not broadcast
;   3 | (print (+ a [1 2]))
;     |        ^^^^^^^^^^^
; hint: (tensor-reshape [1 2] 2 1) has shape (2 1)
