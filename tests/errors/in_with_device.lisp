; The body of with-device is no procedure to people.
(define (work x)
  (with-device "cpu"
    (tensor-ref x 5)))
(define (start) (+ 1 (work [1 2 3])))
(print (start))

; error, status 70:
; in_with_device.lisp:4:5: tensor-ref: index 5 is out of range for dim 0 of size 3
;   4 |     (tensor-ref x 5)))
;     |     ^^^^^^^^^^^^^^^^
;   in work, called at in_with_device.lisp:5:22
;   in start, called at in_with_device.lisp:6:8
