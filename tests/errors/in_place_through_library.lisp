; The call that changes it in place is the library's: the hint names no variable.
(define w (requires-grad! [1.0 2.0]))
(for-each tensor-zero! (list w))

; error, status 70:
; in_place_through_library.lisp:3:1: tensor-zero!: a leaf that requires grad cannot be changed in place
;   3 | (for-each tensor-zero! (list w))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: inside (no-grad ...), it may be changed
