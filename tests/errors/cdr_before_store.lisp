; The read fails, not the store that comes with it.
(define (cut! p) (let ((rest (cdr p))) (set-cdr! p '()) rest))
(print (cut! (list 1 2)))
(print (cut! "text"))

; error, status 70:
; cdr_before_store.lisp:2:30: cdr: expected a pair, got "text"
;   2 | (define (cut! p) (let ((rest (cdr p))) (set-cdr! p '()) rest))
;     |                              ^^^^^^^
; hint: (string-ref s index) is a character of a string, (string->list s) makes a list of it
;   in cut!, called at cdr_before_store.lisp:4:8
