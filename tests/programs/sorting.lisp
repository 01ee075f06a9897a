; sort and its kin: stable, on lists and vectors.
(define (by-car a b) (< (car a) (car b)))
(define pairs (map (lambda (i) (cons (modulo (* i 7) 5) i)) (iota 23)))
(define (stable? items)
  (or (null? (cdr items))
      (and (let ((a (car items)) (b (cadr items)))
             (or (< (car a) (car b)) (and (= (car a) (car b)) (< (cdr a) (cdr b)))))
           (stable? (cdr items)))))
(print (sort '(3 1 2) <) (sort (vector 3 1 2) >) (sort '() <) (sort #() <) (sort '("b" "a") string<?)) ; => (1 2 3) #(3 2 1) () #() (a b)
(print (stable? (sort pairs by-car)) (stable? (vector->list (sort (list->vector pairs) by-car)))) ; => #t #t
(define v (vector 5 3 9 1 7 2 8 6 4 0 11 10 13 12))
(print (sort v <) (vector-ref v 0) (eq? v (sort! v <)) v) ; => #(0 1 2 3 4 5 6 7 8 9 10 11 12 13) 5 #t #(0 1 2 3 4 5 6 7 8 9 10 11 12 13)
(define (scrambled n) (map (lambda (i) (modulo (* i 7919) 10007)) (iota n)))
(define sorted (sort (scrambled 2000) <))
(print (sorted? sorted <) (sorted? (sort (list->vector (scrambled 2000)) <) <) (sorted? '(1 3 2) <) (equal? (list->vector sorted) (sort! (list->vector (scrambled 2000)) <))) ; => #t #t #f #t
(print (list-sort < '(2 1)) (vector-sort < #(2 1)) (merge '(1 3 5) '(2 3 6) <) (merge '() '(1) <)) ; => (1 2) #(1 2) (1 2 3 3 5 6) (1)
(print (sort (list 2.5 1 1/2) <) (map cdr (sort '((b . 1) (a . 2) (b . 3) (a . 4)) (lambda (x y) (symbol<? (car x) (car y)))))) ; => (1/2 1 2.5) (2 4 1 3)

;; The arguments may be in either order.
(print (sort < '(3 1 2)) (sort < (vector 3 1 2)) (sort '() <) (sort < '()))  ; => (1 2 3) #(1 2 3) () ()
(print (vector-sort (vector 3 1 2) <) (vector-sort < (vector 3 1 2)) (list-sort '(2 1) <))  ; => #(1 2 3) #(1 2 3) (1 2)
(define to-sort (vector 3 1 2))
(sort! < to-sort)
(print to-sort)                           ; => #(1 2 3)
(print (guard (e (#t (error-object-message e))) (sort < 5)))  ; => sort: expected a list, got a procedure
