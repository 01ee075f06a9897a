; A range of counts is given as one.
(print (substring "abc"))

; error, status 70:
; arity_optional.lisp:2:8: substring: expected 2 to 3 arguments, got 1
;   2 | (print (substring "abc"))
;     |        ^^^^^^^^^^^^^^^^^
; hint: usage: (substring text start [end])
