; Pairs and lists: every procedure of section 6.4.
(define x (list 'a 'b 'c))
(define y x)
(print (list? y) (begin (set-cdr! x 4) x) (eqv? x y) (list? y) (pair? '()) (pair? '(a . b)) (null? '()) (null? #f)) ; => #t (a . 4) #t #f #f #t #t #f
(print (cons 'a '()) (cons '(a) '(b c d)) (cons "a" '(b c)) (cons 'a 3) (cons '(a b) 'c)) ; => (a) ((a) b c d) (a b c) (a . 3) ((a b) . c)
(define tree '((((1 . 2) . (3 . 4)) . ((5 . 6) . (7 . 8))) . (((9 . 10) . (11 . 12)) . ((13 . 14) . (15 . 16)))))
(print (map (lambda (f) (f tree)) (list caaaar cdaaar cadaar cddaar caadar cdadar caddar cdddar))) ; => (1 2 3 4 5 6 7 8)
(print (map (lambda (f) (f tree)) (list caaadr cdaadr cadadr cddadr caaddr cdaddr cadddr cddddr))) ; => (9 10 11 12 13 14 15 16)
(print (caaar tree) (cdaar tree) (cadar tree) (cddar tree) (caadr tree) (cdadr tree) (caddr tree) (cdddr tree)) ; => (1 . 2) (3 . 4) (5 . 6) (7 . 8) (9 . 10) (11 . 12) (13 . 14) (15 . 16)
(print (caar tree) (cdar '((1 . 2))) (cadr '(1 2)) (cddr '(1 2)) (car '((a) b)) (cdr '(1 . 2))) ; => ((1 . 2) 3 . 4) 2 2 () (a) 2
(define cell (list 'not-a-constant))
(set-car! cell 3)
(print cell (make-list 2 3) (length (make-list 3)) (list 'a (+ 3 4) 'c) (list)) ; => (3) (3 3) 3 (a 7 c) ()
(print (length '(a b c)) (length '(a (b) (c d e))) (length '()))      ; => 3 3 0
(print (append '(x) '(y)) (append '(a) '(b c d)) (append '(a (b)) '((c))) (append '(a b) '(c . d)) (append '() 'a) (append)) ; => (x y) (a b c d) (a (b) (c)) (a b c . d) a ()
(print (reverse '(a b c)) (reverse '(a (b c) d (e (f)))) (list-tail '(a b c d) 2) (list-ref '(a b c d) (exact (round 1.8)))) ; => (c b a) ((e (f)) d (b c) a) (c d) c
(print (let ((ls (list 'one 'two 'five!))) (list-set! ls 2 'three) ls)) ; => (one two three)
(print (memq 'c '(a b c d e)) (memq 'x '(a)) (memq (list 'a) '(b (a) c)) (member (list 'a) '(b (a) c)) (memv 101 '(100 101 102))) ; => (c d e) #f #f ((a) c) (101 102)
(print (member 2.0 '(1 2 3) =) (member 'x '() eq?) (member 5 '(1 3 6) <)) ; => (2 3) #f (6)
(define e '((a 1) (b 2) (c 3)))
(print (assq 'a e) (assq 'd e) (assq (list 'a) '(((a)) ((b)))) (assoc (list 'a) '(((a)) ((b)) ((c)))) (assv 5 '((2 3) (5 7) (11 13)))) ; => (a 1) #f #f ((a)) (5 7)
(print (assoc 2.0 '((1 one) (2 two)) =) (assoc 2.0 '((1 one) (2 two))) (map member '(1 2) '((1 2) (3))) (apply assoc (list 1 '((1 . 2)) eqv?))) ; => (2 two) #f ((1 2) #f) (1 . 2)
(define a '(1 8 2 8))
(define b (list-copy a))
(set-car! b 3)
(print b a (list-copy 'atom) (list-copy '(1 2 . 3)))  ; => (3 8 2 8) (1 8 2 8) atom (1 2 . 3)
; Circles: list? ends, map and for-each go by the shortest list.
(define circle (list 1 2))
(set-cdr! (cdr circle) circle)
(print (list? circle) (map + '(10 20 30) circle) (map list circle '(a b c) circle) (list-ref circle 101)) ; => #f (11 22 31) ((1 a 1) (2 b 2) (1 c 1)) 2
(for-each (lambda (a b) (display (+ a b))) circle '(1 2 3))
(print (any (lambda (a b) (> a b)) '(0 1 5) circle))  ; => 244#t
(print (guard (e (#t (error-object-message e))) (length circle)))  ; => length: expected a list, got (1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2...
(set-cdr! (cdr circle) '())
(let ((v (make-vector 5)))
  (for-each (lambda (i) (vector-set! v i (* i i))) '(0 1 2 3 4))
  (print v (map cadr '((a b) (d e) (g h))) (map + '(1 2) '(10 20 30)) (map (lambda (a b c) (list a b c)) '(1 2) '(3 4) '(5 6)))) ; => #(0 1 4 9 16) (b e h) (11 22) ((1 3 5) (2 4 6))
; apply: any number of arguments, also very many.
(print (apply + (list 3 4)) (apply + 1 2 '(3)) (apply list '()) ((lambda args (apply max args)) 1 5 2)) ; => 7 6 () 5
(print (apply + (iota 100000)) (length (apply list (iota 100000))) (apply max (iota 100000)) (length (apply append (map list (iota 100000)))) ((lambda (a . rest) (length rest)) 1 2)) ; => 4999950000 100000 99999 100000 1
(print (procedure? car) (procedure? 'car) (procedure? (lambda (x) x)) (procedure? '(lambda (x) x))) ; => #t #f #t #f
