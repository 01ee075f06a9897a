; One-hot targets where indices of classes are expected.
(cross-entropy [[1.0 2.0 3.0] [3.0 2.0 1.0]] [[0 1 0] [1 0 0]])

; error, status 70:
; cross_entropy_one_hot.lisp:2:1: cross-entropy: expected indices of classes in shape (2), got targets int64 (2 3) for logits float32 (2 3)
;   2 | (cross-entropy [[1.0 2.0 3.0] [3.0 2.0 1.0]] [[0 1 0] [1 0 0]])
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: if the targets are one-hot, (tensor-argmax targets 1) has the indices
