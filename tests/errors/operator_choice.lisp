; A mode that does not go with the input.
(print (tensor-interpolate (tensor-ones 1 1 4 4) :scale-factor 2 :mode "trilinear"))

; error, status 70:
; operator_choice.lisp:2:8: tensor-interpolate: mode "trilinear" does not fit an input of 4 dimensions
;   2 | (print (tensor-interpolate (tensor-ones 1 1 4 4) :scale-factor 2 :mode "trilinear"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: the modes that fit: "nearest", "nearest-exact", "area", "bilinear", "bicubic", "lanczos"
