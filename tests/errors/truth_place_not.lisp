;; The place is what was tested, not the `not` around it.
(define (none? x)
  (not x))
(print (none? [#t #f]))

; error, status 70:
; truth_place_not.lisp:3:8: a bool tensor of shape (2) has no single truth value
;   3 |   (not x))
;     |        ^
; hint: use tensor-any or tensor-all
;   in none?, called at truth_place_not.lisp:4:8
