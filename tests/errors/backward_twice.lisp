; The recording is forgotten after the first time.
(define w (requires-grad! [1.0 2.0]))
(define loss (tensor-sum (* w w)))
(backward loss)
(backward loss)

; error, status 70:
; backward_twice.lisp:5:1: backward: the gradients of this computation have been taken before
;   5 | (backward loss)
;     | ^^^^^^^^^^^^^^^
; hint: the first time, :retain-graph #t keeps what loss was computed from
