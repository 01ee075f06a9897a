; Tensors in brackets stack, if they have one shape.
(define (pair a b) [a b])
(print (pair [1 2] [1 2 3]))

; error, status 70:
; ragged_literal_run_time.lisp:2:20: tensor: elements differ in shape: (2) and (3)
;   2 | (define (pair a b) [a b])
;     |                    ^^^^^
;   in pair, called at ragged_literal_run_time.lisp:3:8
