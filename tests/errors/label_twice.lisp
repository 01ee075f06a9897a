; A datum label means one thing.
(print '(#0=(a) #0# #0=b))

; error, status 65:
; label_twice.lisp:2:21: datum label #0= is given twice
;   2 | (print '(#0=(a) #0# #0=b))
;     |                     ^^^^
