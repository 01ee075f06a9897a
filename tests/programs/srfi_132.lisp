; SRFI 132: sorting and merging.
(import (srfi 132))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (by-car a b) (< (car a) (car b)))
(define records '((2 a) (1 b) (2 c) (1 d) (0 e)))
(define (numbers) (vector 5 3 9 1 3 7))

; Whether they are sorted.
(print (list-sorted? < '()) (list-sorted? < '(1)) (list-sorted? < '(1 1 2)) (list-sorted? < '(1 3 2)) (list-sorted? > '(3 2 1))) ; => #t #t #t #f #t
(print (vector-sorted? < #()) (vector-sorted? < #(1 1 2)) (vector-sorted? < #(1 3 2)) (vector-sorted? < #(9 1 2 0) 1 3) (vector-sorted? < #(9 1 2 0) 1)) ; => #t #t #f #t #f

; Sorting; every sort is stable.
(print (list-sort < '(3 1 2)) (list-sort > '(3 1 2)) (list-sort < '()) (list-sort! < (list 3 1 2)) (list-stable-sort! > (list 3 1 2))) ; => (1 2 3) (3 2 1) () (1 2 3) (3 2 1)
(print (list-stable-sort by-car records)) ; => ((0 e) (1 b) (1 d) (2 a) (2 c))
(print (list-sort by-car records) records) ; => ((0 e) (1 b) (1 d) (2 a) (2 c)) ((2 a) (1 b) (2 c) (1 d) (0 e))
(define v (numbers))
(print (vector-sort < v) (vector-sort < v 1 4) (vector-sort > v 4) (vector-stable-sort by-car (list->vector records)) v) ; => #(1 3 3 5 7 9) #(1 3 9) #(7 3) #((0 e) (1 b) (1 d) (2 a) (2 c)) #(5 3 9 1 3 7)
(vector-sort! < v 1 4)
(print v) ; => #(5 1 3 9 3 7)
(vector-sort! > v)
(print v) ; => #(9 7 5 3 3 1)
(define r (list->vector records))
(vector-stable-sort! by-car r 1)
(print r) ; => #((2 a) (0 e) (1 b) (1 d) (2 c))

; Merging: the first list's elements come first.
(print (list-merge < '(1 3 5) '(2 3 6)) (list-merge < '() '(1)) (list-merge < '(1) '()) (list-merge! > (list 3 1) (list 2))) ; => (1 2 3 3 5 6) (1) (1) (3 2 1)
(print (list-merge by-car '((1 a) (2 a)) '((1 b) (2 b)))) ; => ((1 a) (1 b) (2 a) (2 b))
(print (vector-merge < #(1 4) #(2 3 5)) (vector-merge < #() #(1)) (vector-merge < #(9 1 4 0) #(2 3) 1 3) (vector-merge < #(1 4) #(9 2 3 0) 0 2 1 3) (vector-merge < #(0 1 4) #(9 5) 1)) ; => #(1 2 3 4 5) #(1) #(1 2 3 4) #(1 2 3 4) #(1 4 9 5)
(define to (make-vector 6 '_))
(vector-merge! by-car to #((1 a)) #((1 b) (2 b)) 1)
(print to) ; => #(_ (1 a) (1 b) (2 b) _ _)
(vector-merge! < to #(9 1 4) #(9 2 3) 0 1 3 1 3)
(print to) ; => #(1 2 3 4 _ _)

; Neighbours.
(print (list-delete-neighbor-dups = '(1 1 2 2 2 1)) (list-delete-neighbor-dups = '()) (list-delete-neighbor-dups! = (list 1 1))) ; => (1 2 1) () (1)
(print (list-delete-neighbor-dups (lambda (a b) (= (car a) (car b))) '((1 a) (1 b) (2 c)))) ; => ((1 a) (2 c))
(print (vector-delete-neighbor-dups = #(1 1 2 2 2 1)) (vector-delete-neighbor-dups = #(0 1 1 2 2) 1 4) (vector-delete-neighbor-dups = #())) ; => #(1 2 1) #(1 2) #()
(define d (vector 0 0 1 1 2 2 2 3))
(print (vector-delete-neighbor-dups! = d 2 7) (vector-copy d 0 4)) ; => 4 #(0 0 1 2)
(print (vector-delete-neighbor-dups! = (vector) 0) (vector-delete-neighbor-dups! = (vector 1 1 1)) (vector-delete-neighbor-dups! = d 3 3)) ; => 0 1 3

; Medians.
(print (vector-find-median < #() 'none) (vector-find-median < #(3 1 2) 'none) (vector-find-median < #(4 1 3 2) 'none) (vector-find-median < #(4 1 3 2) 'none list)) ; => none 2 5/2 (2 3)
(define m (vector 4 1 3 2))
(print (vector-find-median! < m 'none max) m (vector-find-median! < (vector) 'none)) ; => 3 #(1 2 3 4) none

; Selection.
(print (map (lambda (k) (vector-select! < (numbers) k)) '(0 1 2 3 4 5))) ; => (1 3 3 5 7 9)
(print (vector-select! > (numbers) 0) (vector-select! < (numbers) 1 2) (vector-select! < (numbers) 1 2 5)) ; => 9 3 3
(define s (numbers))
(vector-separate! < s 3)
(print (list-sort < (vector->list s 0 3)) (list-sort < (vector->list s 3))) ; => (1 3 3) (5 7 9)
(define u (numbers))
(vector-separate! < u 2 1 5)
(print (vector-ref u 0) (list-sort < (vector->list u 1 3)) (list-sort < (vector->list u 3 5)) (vector-ref u 5)) ; => 5 (1 3) (3 9) 7
(vector-separate! < u 0)
(vector-separate! < u 6)
(print (list-sort < (vector->list u))) ; => (1 3 3 5 7 9)
(define organ-pipe (list->vector (append (iota 500) (reverse (iota 500)))))
(print (vector-select! < organ-pipe 500) (vector-select! < (make-vector 1000 7) 400)) ; => 250 7

; Errors.
(print (message (lambda () (list-sort '(1) <))) (message (lambda () (list-sort < 5))) (message (lambda () (vector-sort < '(1))))) ; => list-sort: expected a procedure, got (1) list-sort: expected a list, got 5 vector-sort: expected a vector, got (1)
(print (message (lambda () (vector-sort < #(1 2) 1 3))) (message (lambda () (vector-sort! < (vector 1 2) 2 1))) (message (lambda () (vector-sorted? < #(1) -1)))) ; => vector-sort: index 3 is out of range for length 2 vector-sort!: the start is after the end: vector-sorted?: expected a non-negative exact integer, got -1
(print (message (lambda () (vector-select! < (vector 1 2) 2))) (message (lambda () (vector-separate! < (vector 1 2) 3))) (message (lambda () (vector-merge! < (vector 1) #(1) #(2))))) ; => vector-select!: index 2 is out of range for length 2 vector-separate!: index 3 is out of range for length 2 vector-merge!: index 2 is out of range for length 1
(print (message (lambda () (vector-sort < #(1) 0 1 2))) (message (lambda () (list-merge < '(1) 2))) (message (lambda () (list-delete-neighbor-dups 1 '())))) ; => vector-sort: expected 2 to 4 arguments, got 5 list-merge: expected a list, got 2 list-delete-neighbor-dups: expected a procedure, got 1
