; A module that would hold itself: walks through it would not end.
(define-module (node) ((next #f)) (forward (x) x))
(define first-node (node))
(define model (sequential first-node))
(set-node-next! first-node (vector 1 model))

; error, status 70:
; module_in_itself.lisp:5:1: set-node-next!: the module would hold itself: the value is, or has in it, the same node
;   5 | (set-node-next! first-node (vector 1 model))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
