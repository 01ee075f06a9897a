; The state of Adam for SGD.
(define w (requires-grad! [1.0 2.0]))
(load-optimizer-state! (sgd (list w)) (optimizer-state (adam (list w))))

; error, status 70:
; optimizer_state_of_another.lisp:3:1: load-optimizer-state!: the state has betas, which sgd does not use
;   3 | (load-optimizer-state! (sgd (list w)) (optimizer-state (adam (list w))))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: it is the state of another optimizer
