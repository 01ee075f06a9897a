(define-syntax sum
  (syntax-rules () ((_ a) a) ((_ a b ...) (+ a (sum b ...)))))
(print (sum 1 2 3 "four"))

; error, status 70:
; macro_recursive.lisp:3:8: +: expected a number, got "four"
;   3 | (print (sum 1 2 3 "four"))
;     |        ^^^^^^^^^^^^^^^^^^
; hint: (string-append a b) joins strings, (string->number s) makes a number of one
;   in the expansion of sum
;   ... repeated 2 more times
