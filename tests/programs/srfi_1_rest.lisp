; SRFI 1, the rest of it: the examples of its text, and errors.
(print (xcons '(b c) 'a) (cons* 1 2 3 '(4 5)) (list-tabulate 4 values) (iota 5) (iota 5 0 -0.5)) ; => (a b c) (1 2 3 4 5) (0 1 2 3) (0 1 2 3 4) (0.0 -0.5 -1.0 -1.5 -2.0)
(define z (circular-list 'z 'q))
(define z2 (circular-list 1 0))
(define c1 (circular-list 'odd 'even))
(define c2 (circular-list 1 3 4))
(print (take z 6) (circular-list? z) (proper-list? z) (dotted-list? z) (length+ z) (length+ '(1 2)) (null-list? z) (third z)) ; => (z q z q z q) #t #f #f #f 2 #f z
(print (zip '(1 2 3) c1) (map + '(3 1 4 1) z2) (fold cons* '() '(a b c) z2)) ; => ((1 odd) (2 even) (3 odd)) (4 1 5 1) (c 1 b 0 a 1)
(print (map proper-list? '(() (1 . 2) 3 (1))) (map circular-list? '(() 5 (1 2))) (map dotted-list? '(() (1 . 2) 3 (1) (1 2 . 3))) (not-pair? '()) (not-pair? z)) ; => (#t #f #f #t) (#f #f #f) (#f #t #t #f #t) #t #f
(print (list= eq?) (list= eq? '(a)) (list= = '(1 2) '(1 2) '(1 2)) (list= = '(1 2) '(1 2 3)) (list= = '(1 2 3) '(1 2)) (list= + '() '())) ; => #t #t #t #f #f #t
(print (receive (a b) (car+cdr '(1 . 2)) (list a b)) (take-right '(a b c d e) 2) (drop-right '(a b c d e) 2)) ; => (1 2) (d e) (a b c)
(print (take-right '(1 2 3 . d) 2) (take-right '(1 2 3 . d) 0) (drop-right '(1 2 3 . d) 2) (drop-right '(1 2 3 . d) 0) (take '(1 2 3 . d) 2) (drop '(1 2 3 . d) 3) (take-right 5 0)) ; => (2 3 . d) d (1) (1 2 3) (1 2) d 5
(print (let ((l (list 1 3 5))) (take! l 2)) (take! '(1) 0) (drop-right! (list 1 2 3) 2) (drop-right! (list 1 2 3) 0) (receive (a b) (split-at! (list 1 2 3) 1) (list a b)) (receive (a b) (split-at! (list 1 2) 0) (list a b))) ; => (1 3) () (1) (1 2 3) ((1) (2 3)) (() (1 2))
(print (unzip1 '((1 2) (3 4))) (receive (a b) (unzip2 '((1 one) (2 two) (3 three))) (list a b)) (receive l (unzip3 '((1 2 3) (4 5 6))) l) (receive l (unzip4 '((1 2 3 4))) l) (receive l (unzip5 '((1 2 3 4 5))) l)) ; => (1 3) ((1 2 3) (one two three)) ((1 4) (2 5) (3 6)) ((1) (2) (3) (4)) ((1) (2) (3) (4) (5))
(print (concatenate! (list (list 1) (list 2 3) '())) (append-reverse! (list 3 2 1) '(4 5)) (append-reverse! '() 4)) ; => (1 2 3) (1 2 3 4 5) 4
(print (pair-fold cons '() '(a b c)) (pair-fold-right cons '() '(a b c)) (pair-fold (lambda (pair tail) (set-cdr! pair tail) pair) '() (list 1 2 3))) ; => ((c) (b c) (a b c)) ((a b c) (b c) (c)) (3 2 1)
(print (pair-fold-right (lambda (a b acc) (cons (append a b) acc)) '() '(1 2) '(a b c)) (pair-fold (lambda (a b acc) (cons (list a b) acc)) '() '(1 2) '(a b c))) ; => ((1 2 a b c) (2 b c)) (((2) (b c)) ((1 2) (a b c)))
(pair-for-each (lambda (pair) (display pair) (set-cdr! pair '())) (list 'a 'b 'c)) (newline) ; => (a b c)(b c)(c)
(pair-for-each (lambda (a b) (display (list (car a) b))) '(1 2) '(x y z)) (newline) ; => (1 (x y z))(2 (y z))
(print (append-map! (lambda (x) (list x (- x))) '(1 3 8)) (map! + (list 1 2) '(10 20 30)) (map-in-order cadr '((a b) (d e) (g h)))) ; => (1 -1 3 -3 8 -8) (11 22) (b e h)
(print (filter! even? (list 0 7 8 8 43 -4)) (remove! even? (list 0 7 8 8 43 -4)) (receive (a b) (partition! symbol? (list 'one 2 3 'four)) (list a b))) ; => (0 8 8 -4) (7 43) ((one four) (2 3))
(print (take-while! even? (list 2 18 3 10)) (receive (a b) (span! even? (list 2 18 3 10 22 9)) (list a b)) (receive (a b) (break! even? (list 3 1 4 1 5 9)) (list a b))) ; => (2 18) ((2 18) (3 10 22 9)) ((3 1) (4 1 5 9))
(print (delete! 2 (list 1 2 3)) (delete! 5 (list 1 7) <) (delete-duplicates! (list 'a 'b 'a 'c 'a)) (alist-delete! 'a (list (cons 'a 1) (cons 'b 2))) (delete-duplicates '((a . 3) (b . 7) (c . 1) (a . 9)) (lambda (x y) (eq? (car x) (car y))))) ; => (1 3) (1) (a b c) ((b . 2)) ((a . 3) (b . 7) (c . 1))
(print (lset<= eq? '(a) '(a b a) '(a b c c)) (lset<= eq?) (lset<= eq? '(a)) (lset<= eq? '(a d) '(a)) (lset= eq? '(b e a) '(a e b) '(e e b a)) (lset= eq?) (lset= eq? '(a)) (lset= eq? '(a) '(a b))) ; => #t #t #t #f #t #t #t #f
(print (lset-adjoin eq? '(a b c d c e) 'd 'a 'i 'o 'u) (lset-union eq? '(a b c d e) '(a e i o u)) (lset-union eq? '(a a c) '(x a x)) (lset-union eq? '(a b c))) ; => (u o i a b c d c e) (u o i a b c d e) (x a a c) (a b c)
(print (lset-intersection eq? '(a b c d e) '(a e i o u)) (lset-intersection eq? '(a x y a) '(x a x z)) (lset-intersection eq? '(a b c)) (lset-difference eq? '(a b c d e) '(a e i o u)) (lset-difference eq? '(a b c))) ; => (a e) (a x a) (a b c) (b c d) (a b c)
(print (lset-xor eq? '(a b c d e) '(a e i o u)) (lset-xor eq?) (lset-xor eq? '(a b c d e)) (lset-xor eqv? '(1 2) '(2 3) '(3 4))) ; => (d c b i o u) () (a b c d e) (1 4)
(print (receive l (lset-diff+intersection eq? '(a b c d) '(b) '(d x)) l) (receive l (lset-diff+intersection! eq? (list 1 2)) l)) ; => ((a c) (b d)) ((1 2) ())
(print (lset-union! eq? (list 'a) (list 'b)) (lset-intersection! eq? (list 'a 'b) '(b)) (lset-difference! eq? (list 'a 'b) '(b)) (lset-xor! eq? (list 'a 'b) (list 'b 'c))) ; => (b a) (b) (a) (a c)
; The order of the equality's arguments: what comes first in the lists comes first.
(print (lset<= < '(1) '(2)) (lset<= < '(2) '(1)) (lset-intersection < '(1 5) '(3)) (lset-difference < '(1 5) '(3)) (lset-adjoin < '(1) 2) (lset= <= '(1) '(2))) ; => #t #f (1) (5) (1) #t
(print (every odd? '()) (any + '(1) z2) (every + '(1 2) z2) (list-index even? c2) (find even? c2) (find-tail even? '(3 1 37 -5))) ; => #t 2 2 2 4 #f
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (take! (list 1 2) 3)))) ; => take!: index 3 is out of range for length 2
(print (message (lambda () (split-at! (list 1 2) -1)))) ; => split-at!: expected a non-negative exact integer, got -1
(print (message (lambda () (null-list? 5)))) ; => null-list?: expected a list, got 5
(print (message (lambda () (length+ '(1 . 2))))) ; => length+: expected a list, got (1 . 2)
(print (message (lambda () (list= eq? '(1 . 2) '(1 . 2))))) ; => list=: expected a list, got 2
(print (message (lambda () (car+cdr '())))) ; => car+cdr: expected a pair, got ()
(print (message (lambda () (take-right '(1 2 . 3) 3)))) ; => take-right: index 3 is out of range for length 2
(print (message (lambda () (pair-for-each display 5)))) ; => pair-for-each: expected a list, got 5
(print (message (lambda () (pair-fold cons '() '(1 . 2))))) ; => pair-fold: expected a list, got 2
(print (message (lambda () (delete! 1 '(1) = 2)))) ; => delete: expected 2 to 3 arguments, got 4
(for-each (lambda (c) (set-cdr! c '())) (list z z2 c1 c2))
