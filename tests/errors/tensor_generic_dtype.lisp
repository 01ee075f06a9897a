; Generic arithmetic says what it was given, too.
(define mask [#t #f])
(print (- mask mask))

; error, status 70:
; tensor_generic_dtype.lisp:3:8: -: booleans cannot be subtracted; given self bool (2), other bool (2)
;   3 | (print (- mask mask))
;     |        ^^^^^^^^^^^^^
; hint: tensor-logical-xor tells where they differ
