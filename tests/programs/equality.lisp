; eq? is identity, eqv? adds numbers, equal? adds structure.
(print (eq? 'a 'a) (eq? '() '()) (eq? #t #t) (eq? :k :k)) ; => #t #t #t #t
(define pair (list 1))
(print (eq? pair pair) (eq? (list 1) (list 1)))   ; => #t #f
(print (eqv? 100000000000000000000 100000000000000000000) (eqv? 1.5 1.5) (eqv? "a" "b")) ; => #t #t #f
(print (eqv? #\a #\a) (eq? #\a #\b))              ; => #t #f
(print (equal? '(1 (2 #(3))) (list 1 (list 2 (vector 3))))) ; => #t
(print (equal? "abc" (string-append "a" "bc")) (equal? 1 1.0) (equal? 'a "a")) ; => #t #f #f
(print (equal? '(1 . 2) '(1 2)) (equal? #(1 2) '(1 2))) ; => #f #f
(print (memq 'c '(a b c d)) (member "b" '("a" "b")) (memv 2.0 '(1 2 3))) ; => (c d) (b) #f
(print (assq 'b '((a 1) (b 2))) (assoc "x" '(("x" . 1))) (assv 3 '())) ; => (b 2) (x . 1) #f
(print (not 0) (not '()) (not #f) (not ""))       ; => #f #f #t #f
(print (boolean? #f) (symbol? 'a) (procedure? car) (procedure? (lambda () 1)) (procedure? 'car)) ; => #t #t #t #t #f
