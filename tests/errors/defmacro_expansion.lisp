(defmacro add-all (first . others)
  (if (null? others) first `(+ ,first (add-all ,@others))))
(print (add-all 1 "two" 3))

; error, status 70:
; defmacro_expansion.lisp:3:8: +: expected a number, got "two"
;   3 | (print (add-all 1 "two" 3))
;     |        ^^^^^^^^^^^^^^^^^^^
; hint: (string-append a b) joins strings, (string->number s) makes a number of one
;   in the expansion of add-all
;   ... repeated 1 more time
