; A predicate without its pattern.
(define (f x)
  (match x
    ((?) 1)
    (_ 2)))

; error, status 65:
; match_bare_pattern.lisp:4:6: match: expected (? predicate pattern ...), got (?)
;   4 |     ((?) 1)
;     |      ^^^
