; The label of a bar is a string.
(define (train n) (dotimes (i n) (progress i n 'train)))
(train 3)

; error, status 70:
; progress_label.lisp:2:34: progress: expected a string as the label, got train
;   2 | (define (train n) (dotimes (i n) (progress i n 'train)))
;     |                                  ^^^^^^^^^^^^^^^^^^^^^
;   in dotimes, called at progress_label.lisp:3:1
