; The prefix lacks its point.
(define layer (linear 2 3))
(load-state-dict! layer (list (cons "model.weight" [1.0]) (cons "model.bias" [1.0])) :prefix "model")

; error, status 70:
; load_state_dict_prefix.lisp:3:1: load-state-dict!: the table does not fit the model:
;   missing: "modelweight" (3 2)
;   missing: "modelbias" (3)
;   unexpected: "model.weight" (1)
;   unexpected: "model.bias" (1)
;   3 | (load-state-dict! layer (list (cons "model.weight" [1.0]) (cons "model.bias" [1.0])) :prefix "model")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: pass :prefix "model."
