; member takes two or three arguments.
(print (member 1 '(1) = =))

; error, status 70:
; member_arity.lisp:2:8: member: expected 2 to 3 arguments, got 4
;   2 | (print (member 1 '(1) = =))
;     |        ^^^^^^^^^^^^^^^^^^^
