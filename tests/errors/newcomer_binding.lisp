; One binding without a list around it.
(let (x 1) x)

; error, status 65:
; newcomer_binding.lisp:2:1: let: expected ((name value) ...), got (x 1)
;   2 | (let (x 1) x)
;     | ^^^^^^^^^^^^^
; hint: write ((x 1))
