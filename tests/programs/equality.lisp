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

; constants that are one word are compared as words
(define (which x)
  (map (lambda (same) (if same 1 0))
       (list (eqv? x 'a) (equal? x #\a) (eq? 5 x) (equal? x '()) (eqv? x #f) (eqv? x 0) (equal? x "a"))))
(print (map which (list 'a #\a 5 '() #f 0 "a")))  ; => ((1 0 0 0 0 0 0) (0 1 0 0 0 0 0) (0 0 1 0 0 0 0) (0 0 0 1 0 0 0) (0 0 0 0 1 0 0) (0 0 0 0 0 1 0) (0 0 0 0 0 0 1))
(print (map which (list 0.0 5.0 5/1 (expt 2 70) "b" '(a))))  ; => ((0 0 0 0 0 0 0) (0 0 0 0 0 0 0) (0 0 1 0 0 0 0) (0 0 0 0 0 0 0) (0 0 0 0 0 0 0) (0 0 0 0 0 0 0))
(print (eqv? (expt 2 61) 2305843009213693952) (eqv? (expt 2 62) 4611686018427387904) (eqv? (- (expt 2 70)) -1180591620717411303424)) ; => #t #t #t
(define (weigh x) (case x ((1 2 3) 'few) ((100 200) 'many) ((a b) 'letter) ((#\a #t ()) 'odd) ((1.5 10000000000000000000000) 'large) (else 'none)))
(print (map weigh (list 1 3 200 4 'b 'c #\a #t '() 1.5 (expt 10 22) 1.0 "a"))) ; => (few few many none letter none odd odd odd large large none none)
