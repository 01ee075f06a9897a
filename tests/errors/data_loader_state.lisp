; The state of a loader with another batch size does not fit.
(define state (loader-state (data-loader '(1 2 3) :batch-size 2)))
(load-loader-state! (data-loader '(1 2 3) :batch-size 1) state)

; error, status 70:
; data_loader_state.lisp:3:1: load-loader-state!: the state has batch-size 2, the loader 1
;   3 | (load-loader-state! (data-loader '(1 2 3) :batch-size 1) state)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: create the loader as the one that the state was taken from
