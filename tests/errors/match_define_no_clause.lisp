; A value that a match-define cannot take apart.
(define (read-pair text) (match-define (a b) (string-split text ",")) (list a b))
(print (read-pair "1,2,3"))

; error, status 70:
; match_define_no_clause.lisp:2:46: match-define: no clause matches ("1" "2" "3")
;   2 | (define (read-pair text) (match-define (a b) (string-split text ",")) (list a b))
;     |                                              ^^^^^^^^^^^^^^^^^^^^^^^
;   in read-pair, called at match_define_no_clause.lisp:3:8
