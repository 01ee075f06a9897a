; The bindings of a fluid-let are a list of them.
(define x 1)
(fluid-let (x 2) x)

; error, status 65:
; fluid_let_malformed.lisp:3:1: fluid-let: expected ((name value) ...), got (x 2)
;   3 | (fluid-let (x 2) x)
;     | ^^^^^^^^^^^^^^^^^^^
; hint: write ((x 2))
