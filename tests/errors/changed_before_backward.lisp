; What the gradient needs was changed in place.
(define w (requires-grad! [1.0 2.0]))
(define e (exp w))
(define y (* e w))
(tensor-add! e 1)
(backward (tensor-sum y))

; error, status 70:
; changed_before_backward.lisp:6:1: backward: the gradient of tensor-mul needs a tensor of shape (2) that tensor-add! has changed since
;   6 | (backward (tensor-sum y))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: change a copy from tensor-copy, or use the operator without !
