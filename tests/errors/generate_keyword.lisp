; Keywords are checked before anything is computed.
(generate (lambda (ids) ids) #f '(1 2) :beam 4)

; error, status 70:
; generate_keyword.lisp:2:1: generation-settings: unknown keyword :beam
;   2 | (generate (lambda (ids) ids) #f '(1 2) :beam 4)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: did you mean :beams?
