; Nothing was recorded.
(backward [1.0])

; error, status 70:
; backward_without_graph.lisp:2:1: backward: nothing that this was computed from requires grad
;   2 | (backward [1.0])
;     | ^^^^^^^^^^^^^^^^
; hint: (requires-grad! x) before [1.0] is computed from x, outside of no-grad
