; A target that is not the index of a class, found by the operator.
(define (loss logits targets)
  (let ((y (cross-entropy logits targets)))
    (* 2.0 y)))
(loss [[1.0 2.0 3.0] [3.0 2.0 1.0]] [1 3])

; error, status 70:
; cross_entropy_range.lisp:3:12: cross-entropy: target 3 is out of range for 3 classes: got logits float32 (2 3), targets int64 (2)
;   3 |   (let ((y (cross-entropy logits targets)))
;     |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: classes count from 0 to 2; with :ignore-index, targets of that number do not count
;   in loss, called at cross_entropy_range.lisp:5:1
