(define (f)
  (define (g) (list x))
  (define y (list (g)))
  (define x 1)
  y)
(list (f))

; error, status 70:
; used_before_definition.lisp:2:21: variable used before its definition: x
;   2 |   (define (g) (list x))
;     |                     ^
;   in g, called at used_before_definition.lisp:3:19
;   in f, called at used_before_definition.lisp:6:7
