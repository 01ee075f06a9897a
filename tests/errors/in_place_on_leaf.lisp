; What gradients are taken in is changed in place, directly.
(define w (requires-grad! [1.0 2.0]))
(tensor-add! w 1)

; error, status 70:
; in_place_on_leaf.lisp:3:1: tensor-add!: a leaf that requires grad cannot be changed in place
;   3 | (tensor-add! w 1)
;     | ^^^^^^^^^^^^^^^^^
; hint: inside (no-grad ...), w may be changed
