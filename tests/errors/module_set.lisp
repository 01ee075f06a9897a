(define-module (counter)
  ((count 0))
  (forward (x) (set! count (+ count 1)) x))

; error, status 65:
; module_set.lisp:3:16: define-module: the field count cannot be set in forward; write (set-counter-count! self value)
;   3 |   (forward (x) (set! count (+ count 1)) x))
;     |                ^^^^^^^^^^^^^^^^^^^^^^^^
