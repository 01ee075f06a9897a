; The list library of SRFI 1: what map, fold and filter leave to be done.
(print (receive (even odd) (partition even? '(1 2 3 4 5)) (list even odd)) (partition even? '())) ; => ((2 4) (1 3 5)) #<values () ()>
(print (receive (a b) (span even? '(2 18 3 10 22 9)) (list a b)) (receive (a b) (break even? '(3 1 4 1 5 9)) (list a b)) (receive (a b) (split-at '(a b c d) 1) (list a b))) ; => ((2 18) (3 10 22 9)) ((3 1) (4 1 5 9)) ((a) (b c d))
(print (cons* 1 2 3 '(4 5)) (cons* 1) (cons* 1 2))    ; => (1 2 3 4 5) 1 (1 . 2)
(print (unfold (lambda (x) (> x 5)) (lambda (x) (* x x)) (lambda (x) (+ x 1)) 1) (unfold null? car cdr '(1 2) (lambda (x) '(end)))) ; => (1 4 9 16 25) (1 2 end)
(print (unfold-right zero? (lambda (x) (* x x)) (lambda (x) (- x 1)) 5) (unfold-right null? car cdr '(1 2) '(3))) ; => (1 4 9 16 25) (2 1 3)
(print (reduce + 0 '(1 2 3)) (reduce + 0 '()) (reduce-right - 0 '(1 2 3 4)) (reduce-right append '() '((1) (2 3))) (fold-right cons* '() '(a b) '(1 2))) ; => 6 0 -2 (1 2 3) (a 1 b 2)
(print (first '(1 2)) (map (lambda (f) (f '(1 2 3 4 5 6 7 8 9 10))) (list second third fourth fifth sixth seventh eighth ninth tenth))) ; => 1 (2 3 4 5 6 7 8 9 10)
(print (append! (list 1 2) '() (list 3) '(4 . 5)) (append!) (append! '() (list 1)) (reverse! (list 1 2 3)) (reverse! '())) ; => (1 2 3 4 . 5) () (1) (3 2 1) ()
(print (zip '(1 2) '(a b)) (unzip '((1 a) (2 b))) (concatenate '((1) (2 3) ())) (append-reverse '(3 2 1) '(4))) ; => ((1 a) (2 b)) ((1 2) (a b)) (1 2 3) (1 2 3 4)
(define alist (list (cons 'a 1) (cons 'b 2)))
(define copy (alist-copy alist))
(set-cdr! (car copy) 9)
(print alist copy (alist-cons 'c 3 alist) (alist-delete 'a alist) (alist-delete 5 '((1) (7)) <)) ; => ((a . 1) (b . 2)) ((a . 9) (b . 2)) ((c . 3) (a . 1) (b . 2)) ((b . 2)) ((1))
(print (assq-ref alist 'b) (assq-ref alist 'z) (assq-ref alist 'z 0) (assoc-ref '(("x" . 1)) "x")) ; => 2 #f 0 1
(print (lset-adjoin eq? '(a b c) 'd 'a 'e) (lset-union eq? '(a b c) '(c d e)) (lset-union eq?) (lset-intersection eq? '(a b c d) '(b d e) '(d)) (lset-difference eqv? '(1 2 3 4) '(2) '(4))) ; => (e d a b c) (e d a b c) () (d) (1 3)
(print (find-tail even? '(3 1 4 1)) (list-index even? '(3 1 4)) (delete 3 '(1 3 2 3)) (delete-duplicates '(a b a c b)) (filter-map (lambda (x) (and (even? x) (* x x))) '(1 2 4))) ; => (4 1) 2 (1 2) (a b c) (4 16)
(print (count even? '(1 2 4)) (append-map list '(1 2) '(a b)) (last '(1 2 3)) (take '(1 2 3) 2) (drop '(1 2 3) 2) (take-right '(1 2 3) 2) (drop-right '(1 2 3) 2)) ; => 2 (1 a 2 b) 3 (1 2) (3) (2 3) (1)
(print (take-while even? '(2 4 5 6)) (drop-while even? '(2 4 5 6)) (every even? '(2 4)) (any odd? '(2 4)) (list-tabulate 3 -) (remove even? '(1 2 3))) ; => (2 4) (5 6) #t #f (0 -1 -2) (1 3)
