; Where one repetition ends and the next begins cannot be known.
(match '(1 2 3) ((a ... b ...) a))

; error, status 65:
; match_two_ellipses.lisp:2:27: match: expected one ellipsis in a list, got ...
;   2 | (match '(1 2 3) ((a ... b ...) a))
;     |                           ^^^
; hint: put one of them into a list
