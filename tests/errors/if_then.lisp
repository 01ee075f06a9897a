; The words of other languages between the parts of if.
(define n 3)
(print (if (> n 2) then "many" else "few"))

; error, status 65:
; if_then.lisp:3:8: if: expected (if test then [else]), got (if (> n 2) then "many" else "few")
;   3 | (print (if (> n 2) then "many" else "few"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: write (if (> n 2) "many" "few")
