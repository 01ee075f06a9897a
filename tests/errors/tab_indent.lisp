; Tabs before the place are kept in the caret's line.
(define (f x)
	(car x))
(f 1)

; error, status 70:
; tab_indent.lisp:3:2: car: expected a pair, got 1
;   3 | 	(car x))
;     | 	^^^^^^^
;   in f, called at tab_indent.lisp:4:1
