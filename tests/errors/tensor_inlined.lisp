; A primitive that takes a tensor may fail in a procedure that is copied: the trace has its frame.
(define (f x) (list (tensor-rank x) x))
(print (f 5))

; error, status 70:
; tensor_inlined.lisp:2:21: tensor-rank: expected a tensor, got 5
;   2 | (define (f x) (list (tensor-rank x) x))
;     |                     ^^^^^^^^^^^^^^^
;   in f, called at tensor_inlined.lisp:3:8
