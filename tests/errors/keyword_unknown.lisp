; A keyword that the procedure does not take.
(define (scale x :by 2) (* x by))
(print (scale 1 :bi 3))

; error, status 70:
; keyword_unknown.lisp:3:8: scale: unknown keyword :bi
;   3 | (print (scale 1 :bi 3))
;     |        ^^^^^^^^^^^^^^^
; hint: usage: (scale x [:by])
