; A layer is renamed, another has another size.
(define-module (net width)
  ((up (linear 2 width)) (down (linear width 1)))
  (forward (x) (down (up x))))
(define-module (renamed width)
  ((up (linear 2 width)) (bottom (linear width 1)))
  (forward (x) (bottom (up x))))
(load-state-dict! (net 4) (state-dict (renamed 3)))

; error, status 70:
; load_model_names.lisp:8:1: load-state-dict!: the table does not fit the model:
;   missing: "down.weight" (1 4), near "bottom.weight" (1 3)
;   missing: "down.bias" (1), near "bottom.bias" (1)
;   unexpected: "bottom.weight" (1 3)
;   unexpected: "bottom.bias" (1)
;   shape: "up.weight" is (3 2), in the model (4 2)
;   shape: "up.bias" is (3), in the model (4)
;   8 | (load-state-dict! (net 4) (state-dict (renamed 3)))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: create the model with the sizes and dtypes of the file
