; A parameter of the constructor that forward mentions: it is not a field.
(define-module (scaled width :factor 2)
  ((up (linear width width)) (factor factor))
  (forward (x) (* factor (up x) width)))

(print (module? (scaled 3)))
((scaled 3) (tensor-ones 2 3))

; error, status 70:
; module_constructor_parameter.lisp:4:33: unbound variable: width
;   4 |   (forward (x) (* factor (up x) width)))
;     |                                 ^^^^^
; hint: forward sees fields, not the parameters of the constructor; add the field (width width)
;   in scaled.forward, called at module_constructor_parameter.lisp:7:1
