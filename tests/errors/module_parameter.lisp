(define-module (scaled n)
  ((scale [1 2 3] :parameter))
  (forward (x) (* scale x)))
(scaled 3)

; error, status 70:
; module_parameter.lisp:2:4: scaled: the parameter scale must be floating-point, got a tensor of dtype int64
;   2 |   ((scale [1 2 3] :parameter))
;     |    ^^^^^^^^^^^^^^^^^^^^^^^^^^
;   in scaled, called at module_parameter.lisp:4:1
