; A text in single quotes.
(print 'abc')

; error, status 65:
; newcomer_quotes.lisp:2:12: nothing follows '
;   2 | (print 'abc')
;     |            ^
; hint: a string stands in double quotes, as "a"
