; A form that receives values says how many it wants.
(define (three) (values 1 2 3))
(define (f)
  (receive (a b) (three)
    (+ a b)))
(print (f))

; error, status 70:
; values_too_many.lisp:4:3: receive: expected 2 values, got 3
;   4 |   (receive (a b) (three)
;     |   ^^^^^^^^^^^^^^^^^^^^^^
;   in f, called at values_too_many.lisp:6:8
