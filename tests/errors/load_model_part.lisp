; The table is that of a part of the model.
(define model (sequential (sequential (linear 2 3) (linear 3 1)) (relu)))
(load-state-dict! model (state-dict (module-at model "0")))

; error, status 70:
; load_model_part.lisp:3:1: load-state-dict!: the table does not fit the model:
;   missing: "0.0.weight" (3 2), near "0.weight" (3 2)
;   missing: "0.0.bias" (3), near "0.bias" (3)
;   missing: "0.1.weight" (1 3), near "1.weight" (1 3)
;   missing: "0.1.bias" (1), near "1.bias" (1)
;   unexpected: "0.weight" (3 2)
;   unexpected: "0.bias" (3)
;   unexpected: "1.weight" (1 3)
;   unexpected: "1.bias" (1)
;   3 | (load-state-dict! model (state-dict (module-at model "0")))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: the names are those of "0": load into (module-at model "0")
