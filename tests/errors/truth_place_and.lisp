;; What `and` gives is tested, not its last part.
(if (not (and 1 [#t #f])) 1 2)

; error, status 70:
; truth_place_and.lisp:2:10: a bool tensor of shape (2) has no single truth value
;   2 | (if (not (and 1 [#t #f])) 1 2)
;     |          ^^^^^^^^^^^^^^^
; hint: use tensor-any or tensor-all
