; A place is a part of something.
(define (f x)
  (match x ((set! put) (put 3))))

; error, status 65:
; match_set_without_place.lisp:3:19: match: (set! name) must stand for a part of a pair, vector, record or hash table
;   3 |   (match x ((set! put) (put 3))))
;     |                   ^^^
