; ~d takes a number.
(print (format "~d" "1"))

; error, status 70:
; format_number.lisp:2:8: format: expected a number, got "1"
;   2 | (print (format "~d" "1"))
;     |        ^^^^^^^^^^^^^^^^^
