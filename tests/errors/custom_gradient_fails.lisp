; The gradient procedure itself fails: its place, and how it came there.
(define (slope g x y)
  (car x))
(define squared (custom-gradient square slope))
(define (train w)
  (backward (tensor-sum (squared w)))
  w)
(train (requires-grad! [1.0 2.0]))

; error, status 70:
; custom_gradient_fails.lisp:3:3: car: expected a pair, got a tensor float32 (2)
;   3 |   (car x))
;     |   ^^^^^^^
; hint: [...] is a tensor, not a list: write (tensor-ref t 0), or (tensor->list t) for a list
;   in slope, called at custom_gradient_fails.lisp:6:3
;   in train, called at custom_gradient_fails.lisp:8:1
