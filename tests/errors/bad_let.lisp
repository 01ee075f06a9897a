; A special form that is not well formed.
(let ((x)) x)

; error, status 65:
; bad_let.lisp:2:1: let: expected ((name value) ...), got ((x))
;   2 | (let ((x)) x)
;     | ^^^^^^^^^^^^^
