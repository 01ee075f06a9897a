(defmacro second-of (form) (cadr form))
(define (f y)
  (+ 1 (second-of y)))

; error, status 65:
; defmacro_body.lisp:3:8: cadr: expected a pair, got y
;   3 |   (+ 1 (second-of y)))
;     |        ^^^^^^^^^^^^^
;   in the expansion of second-of
