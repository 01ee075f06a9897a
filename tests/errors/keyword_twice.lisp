; A keyword given twice.
(define (scale x :by 2) (* x by))
(print (scale 1 :by 3 :by 4))

; error, status 70:
; keyword_twice.lisp:3:8: scale: keyword :by is given twice
;   3 | (print (scale 1 :by 3 :by 4))
;     |        ^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (scale x [:by])
