; No directive has this letter.
(print (format "~a ~q" 1 2))

; error, status 70:
; format_unknown.lisp:2:8: format: unknown directive ~q at index 3
;   2 | (print (format "~a ~q" 1 2))
;     |        ^^^^^^^^^^^^^^^^^^^^
