; An index beyond a list's end, from the library.
(print (take '(1 2 3) 5))

; error, status 70:
; take_too_many.lisp:2:8: take: index 5 is out of range for length 3
;   2 | (print (take '(1 2 3) 5))
;     |        ^^^^^^^^^^^^^^^^^
