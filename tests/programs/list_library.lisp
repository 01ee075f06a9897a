; The library's list procedures: argument orders, several lists, the empty list, the shortest list.
(print (map + '(1 2 3) '(10 20)) (map (lambda (x) x) '()))  ; => (11 22) ()
(print (fold-left list 0 '(1 2)) (fold list 0 '(1 2)))       ; => ((0 1) 2) (2 (1 0))
(print (fold-left list 0 '(1 2) '(3 4)) (fold list 0 '(1 2) '(3 4))) ; => ((0 1 3) 2 4) (2 4 (1 3 0))
(print (fold-right list 0 '(1 2)) (fold-right list 0 '(1 2 5) '(3 4))) ; => (1 (2 0)) (1 3 (2 4 0))
(print (reduce - 0 '(1 10)) (reduce + 0 '()) (reduce max 0 '(-5))) ; => 9 0 -5
(print (append-map (lambda (x) (list x x)) '(1 2)) (append-map list '(1 2) '(a b))) ; => (1 1 2 2) (1 a 2 b)
(print (filter-map (lambda (x) (and (> x 1) (* x x))) '(0 1 2 3))) ; => (4 9)
(print (any (lambda (x y) (and (> x y) x)) '(1 5) '(2 3)) (any car '())) ; => 5 #f
(print (every (lambda (x) (and (> x 0) x)) '(1 5)) (every car '()) (every < '(1 5) '(2 3))) ; => 5 #t #f
(print (count even? '(1 2 4)) (count < '(1 2 3) '(2 1 4))) ; => 2 2
(print (find even? '(1 2 4)) (find even? '(1)) (find-tail even? '(1 2 3))) ; => 2 #f (2 3)
(print (list-index even? '(1 3 4)) (list-index even? '()) (list-index = '(1 2) '(3 2))) ; => 2 #f 1
(print (delete 2 '(1 2 3 2)) (delete 2 '(1 2 3) <))          ; => (1 3) (1 2)
(print (delete-duplicates '(a b a (c) (c))) (delete-duplicates '(1 -1 2) (lambda (a b) (= (abs a) (abs b))))) ; => (a b (c)) (1 2)
(print (take '(1 2 3) 2) (drop '(1 2 3) 2) (take '() 0) (drop '(1) 1)) ; => (1 2) (3) () ()
(print (take-right '(1 2 3) 2) (drop-right '(1 2 3) 2))      ; => (2 3) (1)
(print (take-while even? '(2 4 5 6)) (drop-while even? '(2 4 5 6)) (drop-while even? '(2))) ; => (2 4) (5 6) ()
(print (last '(1 2 3)) (last-pair '(1 2 . 3)) (second '(1 2)) (third '(1 2 3))) ; => 3 (2 . 3) 2 3
(print (list-tabulate 4 square) (make-list 2 'x) (make-list 1)) ; => (0 1 4 9) (x x) (#f)
(print (append-reverse '(3 2 1) '(4)) (concatenate '((1) () (2 3))) (zip '(1 2) '(a b))) ; => (1 2 3 4) (1 2 3) ((1 a) (2 b))
(print ((compose) 1) ((compose car) '(2)) ((compose - +) 1 2) (identity 'x)) ; => 1 2 -3 x
(print (sort '() <) (sort '(1) <) (sort '(5 3 9 1 5 2) <) (sort '(5 3 9) >)) ; => () (1) (1 2 3 5 5 9) (9 5 3)

; Sorting is stable.
(define people '((ann 3) (bob 1) (cid 3) (dan 1)))
(print (sort people (lambda (a b) (< (cadr a) (cadr b)))))   ; => ((bob 1) (dan 1) (ann 3) (cid 3))

; Long lists need no deep recursion.
(define many (iota 300000))
(print (apply + (map (lambda (x y) (- x y)) many many)) (fold + 0 (filter even? many))) ; => 0 22499850000
(print (length (append-map list many)) (fold-right + 0 many) (car (sort many >))) ; => 300000 44999850000 299999

; Vectors and strings.
(print (vector-map + #(1 2) #(10 20 30)) (vector-map square #())) ; => #(11 22) #()
(vector-for-each (lambda (x y) (display (+ x y))) #(1 2) #(3 4))
(newline)                                                    ; => 46
(print (string-map (lambda (a b) (if (char<? a b) a b)) "adc" "bbbb")) ; => abb
(string-for-each (lambda (c) (write c)) "ab")
(newline)                                                    ; => #\a#\b
(print (string-index "hello" #\l) (string-index "hello" (lambda (c) (char=? c #\z)))) ; => 2 #f

; Folded primitives as values.
(print (apply + '()) (apply * '()) (apply - '(5)) (apply / '(2)) (apply gcd '(12 18)) (apply lcm '())) ; => 0 1 -5 1/2 6 1
(print (apply < '(1 2 3)) (apply < '(1 3 2)) (apply = '(1 1 2)) (apply >= '(3 3 1)) (apply > '(1))) ; => #t #f #f #t #t
