; What gradients are taken in is changed in place, through a view.
(define w (requires-grad! [1.0 2.0]))
(define (double-first! x) (tensor-mul! (tensor-ref x 0) 2))
(double-first! w)

; error, status 70:
; in_place_on_view_of_leaf.lisp:3:27: tensor-mul!: a view of a leaf that requires grad cannot be changed in place
;   3 | (define (double-first! x) (tensor-mul! (tensor-ref x 0) 2))
;     |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: inside (no-grad ...), (tensor-ref x 0) may be changed
;   in double-first!, called at in_place_on_view_of_leaf.lisp:4:1
