; if, cond, case, and, or, when, unless: what counts as true, and the values of what is left out.
(print (if '() 'true 'false) (if 0 'true 'false) (if "" 'true 'false)) ; => true true true
(define (sign n) (cond ((< n 0) 'minus) ((> n 0) 'plus) (else 'zero)))
(print (sign -1) (sign 1) (sign 0))               ; => minus plus zero
(print (cond ((assv 2 '((1 a) (2 b))) => cadr) (else 'none))) ; => b
(print (cond (5)) (cond (#f 1) (else 2 3)))       ; => 5 3
(define (kind x) (case x ((1 2 3) 'small) ((a b) 'letter) ((#\x) 'char) (else 'other)))
(print (kind 2) (kind 'b) (kind #\x) (kind 1.0)) ; => small letter char other
(print (case 5 ((5) => (lambda (x) (* x x))) (else 0))) ; => 25
(print (and) (and 1 2) (and #f (car '())) (or) (or #f 3) (or 1 (car '()))) ; => #t 2 #f #f 3 1
(print (when #t 1 2) (unless #f 3 4))             ; => 2 4
(write (list (if #f #f) (when #f 1)))
(newline)                                         ; => (#<unspecified> #<unspecified>)
(define (last-of l) (if (null? (cdr l)) (car l) (last-of (cdr l))))
(print (last-of '(1 2 3)))                        ; => 3
(print (let ((x (if #f 1 "s"))) x) (+ 1 (if (null? '()) 2 3))) ; => s 3
(define (deep a b c) (if a (if b (if c 'abc 'ab) 'a) (if (or b c) 'b-or-c 'none)))
(print (deep #t #t #f) (deep #f #f #t) (deep #f #f #f)) ; => ab b-or-c none
