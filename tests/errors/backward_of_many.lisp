; A gradient is that of one number.
(define w (requires-grad! [1.0 2.0]))
(define losses (* w w))
(backward losses)

; error, status 70:
; backward_of_many.lisp:4:1: backward: expected a tensor of one element, got a tensor float32 (2)
;   4 | (backward losses)
;     | ^^^^^^^^^^^^^^^^^
; hint: take the gradient of a sum, (tensor-sum losses), or weigh the elements with :gradient
