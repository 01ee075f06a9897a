; A value that no clause of a match takes is shown, at the expression whose value it is.
(define (area shape)
  (match shape
    (('square a) (* a a))
    (('circle r) (* 3 r r))))
(print (area '(square 2)))
(print (+ 1 (area '(triangle 1 "a"))))

; error, status 70:
; match_no_clause.lisp:3:10: match: no clause matches (triangle 1 "a")
;   3 |   (match shape
;     |          ^^^^^
;   in area, called at match_no_clause.lisp:7:13
