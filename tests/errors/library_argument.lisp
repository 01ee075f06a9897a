; An error of the library's own is shown at the program's call.
(print (map car '(1 2)))

; error, status 70:
; library_argument.lisp:2:8: car: expected a pair, got 1
;   2 | (print (map car '(1 2)))
;     |        ^^^^^^^^^^^^^^^^
