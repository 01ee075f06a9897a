; Procedures that take procedures, from the library.
(print (map (lambda (x) (* x x)) '(1 2 3)))       ; => (1 4 9)
(print (map + '(1 2 3) '(10 20 30)))              ; => (11 22 33)
(print (map cons '(a b) '(1 2)))                  ; => ((a . 1) (b . 2))
(print (map car '((1 2) (3 4))))                  ; => (1 3)
(for-each (lambda (x y) (display (list x y))) '(1 2) '(a b))
(newline)                                         ; => (1 a)(2 b)
(print (filter odd? '(1 2 3 4 5)) (remove odd? '(1 2 3 4))) ; => (1 3 5) (2 4)
(print (fold + 0 '(1 2 3)) (fold cons '() '(1 2 3))) ; => 6 (3 2 1)
(print (fold-right cons '() '(1 2 3)) (reduce max 0 '(3 9 2))) ; => (1 2 3) 9
(print (apply + '(1 2 3)) (apply max 1 '(5 3)) (apply list 1 2 '())) ; => 6 5 (1 2)
(define (compose2 f g) (lambda (x) (f (g x))))
(print ((compose2 - square) 3) ((compose2 car cdr) '(1 2 3))) ; => -9 2
(define (curry f . fixed) (lambda rest (apply f (append fixed rest))))
(print ((curry list 1 2) 3 4) ((curry + 1)))      ; => (1 2 3 4) 1
(print (any even? '(1 3 4)) (every even? '(2 4)) (any even? '())) ; => #t #t #f
(print (sort '(3 1 2) <) (sort '("b" "a") string<?)) ; => (1 2 3) (a b)
(print (assq 'b (map (lambda (name value) (list name value)) '(a b) '(1 2)))) ; => (b 2)
(print (map (lambda (f) (f 2 3)) (list + - * / max))) ; => (5 -1 6 2/3 3)
(print (vector-map square #(1 2 3)) (string-map (lambda (c) (integer->char (+ 1 (char->integer c)))) "ab")) ; => #(1 4 9) bc
