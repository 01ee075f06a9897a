; SRFI 133, the vector library: the examples of its text, and errors.
(import (srfi 133))
(print (vector-unfold (lambda (i x) (values x (- x 1))) 10 0) (vector-unfold values 7) (vector-unfold-right (lambda (i x) (values (cons i x) (+ x 1))) 5 0)) ; => #(0 -1 -2 -3 -4 -5 -6 -7 -8 -9) #(0 1 2 3 4 5 6) #((0 . 4) (1 . 3) (2 . 2) (3 . 1) (4 . 0))
(print (vector-reverse-copy #(5 4 3 2 1 0) 1 5) (vector-concatenate '(#(a b) #(c d))) (vector-append-subvectors #(a b c d e) 0 2 #(f g h i j) 2 4)) ; => #(1 2 3 4) #(a b c d) #(a b h i)
(print (vector= eq? #(a b c d) #(a b c d)) (vector= eq? #(a b c d) #(a b d c)) (vector= = #(1 2 3 4 5) #(1 2 3 4)) (vector= + #(1)) (vector= eq?)) ; => #t #f #f #t #t
(print (vector-fold (lambda (len str) (max (string-length str) len)) 0 #("a" "bcd" "e")) (vector-fold (lambda (tail elt) (cons elt tail)) '() #(1 2 3)) (vector-fold-right (lambda (tail elt) (cons elt tail)) '() #(1 2 3)) (vector-fold + 0 #(1 2 3) #(10 20))) ; => 3 (3 2 1) (1 2 3) 33
(print (vector-cumulate + 0 #(3 1 4 1 5 9 2 5 6)) (vector-count < #(1 3 6 9) #(2 4 6 8 10 12)) (vector-index even? #(3 1 4 1 5 9)) (vector-index < #(3 1 4 1 5 9 2 5 6) #(2 7 1 8 2)) (vector-index = #(3 1 4 1 5 9 2 5 6) #(2 7 1 8 2))) ; => #(3 4 8 9 14 23 25 30 36) 2 2 1 #f
(print (vector-skip number? #(1 2 a b 3 4 c d)) (vector-index-right even? #(2 4 5)) (vector-skip-right odd? #(1 2 3)) (vector-any (lambda (x) (and (even? x) (* x x))) #(1 2 3)) (vector-every + #(1 2) #(3 4 5)) (vector-every odd? #())) ; => 2 1 1 4 6 #t
(print (receive (v n) (vector-partition even? #(1 2 3 4)) (list v n))) ; => (#(2 4 1 3) 2)
(print (reverse-vector->list #(1 2 3)) (reverse-vector->list #(1 2 3) 1) (reverse-list->vector '(1 2 3)) (vector-empty? #()) (vector-empty? #(1))) ; => (3 2 1) (3 2) #(3 2 1) #t #f
(define v (vector 1 2 3 4 5))
(vector-reverse! v)
(print v (begin (vector-reverse! v 1 3) v) (vector-copy v)) ; => #(5 3 4 2 1) #(5 3 4 2 1) #(5 3 4 2 1)
(vector-map! (lambda (x) (* x x)) v)
(print v (begin (vector-reverse-copy! v 1 #(a b c)) (vector-copy v))) ; => #(25 c b a 1) #(25 c b a 1)
(vector-unfold! (lambda (i x) (values x (+ x 1))) v 1 4 7)
(print (vector-copy v) (begin (vector-unfold-right! - v 0 3) v)) ; => #(25 7 8 9 1) #(0 -1 -2 9 1)
(define w (vector 1 2 3))
(vector-map! + w #(10 20))
(print w (vector->list #(1 2 3) 1) (vector-binary-search #(1 3 5) 3 -) (vector->string #(#\a #\b)) (string->vector "ab")) ; => #(11 22 3) (2 3) 1 ab #(a b)
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (vector-unfold values -1)))) ; => vector-unfold: expected a non-negative exact integer, got -1
(print (message (lambda () (vector-reverse! #(1 2) 3)))) ; => vector-reverse!: index 3 is out of range for length 2
(print (message (lambda () (vector-reverse-copy #(1 2) 2 1)))) ; => vector-reverse-copy: start 2 is after end 1
(print (message (lambda () (vector-reverse-copy #(1 2) 0 1 2)))) ; => vector-reverse-copy: expected 1 to 3 arguments, got 4
(print (message (lambda () (vector-index-right = #(1 2) #(1))))) ; => vector-index-right: expected vectors of one length, got lengths
(print (message (lambda () (vector-any even? '(1 2))))) ; => vector-any: expected a vector, got (1 2)
(print (message (lambda () (vector= eq? '(1))))) ; => vector=: expected a vector, got (1)
(print (message (lambda () (vector-append-subvectors #(1) 0)))) ; => vector-append-subvectors: expected a vector, a start and an end for each part, got
(print (message (lambda () (vector-fold + 0 5)))) ; => vector-fold: expected a vector, got 5
