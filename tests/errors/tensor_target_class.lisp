; A class that there are no scores for.
(define scores (tensor-zeros 2 3))
(print (tensor-cross-entropy-loss scores [0 3]))

; error, status 70:
; tensor_target_class.lisp:3:8: tensor-cross-entropy-loss: target 3 is out of range for 3 classes; given self float32 (2 3), target int64 (2)
;   3 | (print (tensor-cross-entropy-loss scores [0 3]))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
