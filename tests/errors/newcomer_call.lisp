; The procedure outside the parentheses.
print("a")

; error, status 70:
; newcomer_call.lisp:2:6: not a procedure: "a"
;   2 | print("a")
;     |      ^^^^^
; hint: the procedure comes first, inside the parentheses, as in (print "a"); (string-ref string index) is a character of a string
