; The recording is forgotten after the first time.
(define w (requires-grad! [1.0 2.0]))
(define loss (tensor-sum (* w w)))
(backward loss)
(backward loss)

; error, status 70:
; backward_twice.lisp:5:1: backward: the gradients of this computation have been computed before
;   5 | (backward loss)
;     | ^^^^^^^^^^^^^^^
; hint: pass :retain-graph #t the first time, to keep the graph of loss
