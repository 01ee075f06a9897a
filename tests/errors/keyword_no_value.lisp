; A keyword at the end, with nothing after it.
(define (scale x :by 2) (* x by))
(print (scale 1 :by))

; error, status 70:
; keyword_no_value.lisp:3:8: scale: keyword :by has no value
;   3 | (print (scale 1 :by))
;     |        ^^^^^^^^^^^^^
; hint: usage: (scale x [:by])
