(define (f x)
  (list (raise (list x "a"))))
(f 42)

; error, status 70:
; raise_uncaught.lisp:2:9: uncaught raise: (42 "a")
;   2 |   (list (raise (list x "a"))))
;     |         ^^^^^^^^^^^^^^^^^^^^
;   in f, called at raise_uncaught.lisp:3:1
