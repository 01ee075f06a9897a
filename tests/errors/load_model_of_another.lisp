; The file is that of a whole model, the model a part of it.
(define path (string "/tmp/lambent-load-model-" (current-seconds)))
(save-model path (sequential (linear 2 3) (linear 3 1)) :prefix "model.")
(define table (load-tensors path))
(delete-file path)
(load-state-dict! (sequential (linear 2 3) (linear 3 1)) table)

; error, status 70:
; load_model_of_another.lisp:6:1: load-state-dict!: the table does not fit the model:
;   missing: "0.weight" (3 2), near "model.0.weight" (3 2)
;   missing: "0.bias" (3), near "model.0.bias" (3)
;   missing: "1.weight" (1 3), near "model.1.weight" (1 3)
;   missing: "1.bias" (1), near "model.1.bias" (1)
;   unexpected: "model.0.weight" (3 2)
;   unexpected: "model.0.bias" (3)
;   unexpected: "model.1.weight" (1 3)
;   unexpected: "model.1.bias" (1)
;   6 | (load-state-dict! (sequential (linear 2 3) (linear 3 1)) table)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: pass :prefix "model."
