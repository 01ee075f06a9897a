; A rule that begins with itself would be matched without end.
(make-grammar '((sum (or (seq sum "+" item) item)) (item (one-of "0123456789"))))

; error, status 70:
; generate_grammar.lisp:2:1: make-grammar: rule sum begins with itself
;   2 | (make-grammar '((sum (or (seq sum "+" item) item)) (item (one-of "0123456789"))))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (* ...) repeats: (sum item (* "+" item))
