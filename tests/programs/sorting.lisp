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

;; Numbers and strings in the usual orders, which are sorted without calls.
(define (same-as-by-calls? items before?)
  (equal? (sort items before?) (sort items (lambda (a b) (before? a b)))))
(define (numbers n scale) (map (lambda (k) (* scale (- (modulo (* k 7919) 211) 100))) (iota n)))
(define (words n) (map (lambda (k) (string-append "w" (make-string (modulo k 11) #\a) (number->string (modulo (* k 31) 17)))) (iota n)))
(print (map (lambda (n) (and (same-as-by-calls? (numbers n 1) <) (same-as-by-calls? (numbers n 1) >) (same-as-by-calls? (numbers n 0.5) <) (same-as-by-calls? (numbers n -0.5) >) (same-as-by-calls? (words n) string<?) (same-as-by-calls? (words n) string>?))) '(0 1 2 8 9 17 100 1000 5000)))  ; => (#t #t #t #t #t #t #t #t #t)
(print (sort '(0.0 -0.0 -1.5 -0.0 0.0) <) (sort '(0.0 -0.0 1e300 -1e-300) >) (sort (list 1e999 -1e999 5e-324 0.0) <))  ; => (-1.5 0.0 -0.0 -0.0 0.0) (1e300 0.0 -0.0 -1e-300) (-inf.0 0.0 5e-324 +inf.0)
(print (sort (list 3 1/2 2.5 (expt 10 30) -7) <) (sort (list (expt 10 30) (- (expt 10 30)) 5) >))  ; => (-7 1/2 2.5 3 1000000000000000000000000000000) (1000000000000000000000000000000 5 -1000000000000000000000000000000)
(print (sort (list 4611686018427387903 -4611686018427387904 0 -1) <))  ; => (-4611686018427387904 -1 0 4611686018427387903)
(print (sort '("abcdefghz" "abcdefgh" "abcdefgha" "abcdefg" "" "é" "z" "日本" "日") string<?))  ; => ( abcdefg abcdefgh abcdefgha abcdefghz z é 日 日本)
(write (sort (list "a\x0;b" "a" "a\x0;" "a\x0;a") string<?))
(newline)  ; => ("a" "a\x0;" "a\x0;a" "a\x0;b")
(define twins (list (string #\b) (string #\a) (string #\b) (string #\a)))
(define in-order (sort twins string<?))
(print (eq? (car in-order) (list-ref twins 1)) (eq? (cadr in-order) (list-ref twins 3)) (eq? (caddr (sort twins string>?)) (list-ref twins 1)))  ; => #t #t #t
(print (guard (e (#t (error-object-message e))) (sort '(3 a 1) <)) (guard (e (#t (error-object-message e))) (sort '("a" 1) string<?)))  ; => <: expected a number, got a string<?: expected a string, got 1
(define place (vector 3.5 1.5 2.5))
(sort! place >)
(vector-set! place 0 'x)
(print place (sort! (vector "b" "a") string<?))  ; => #(x 2.5 1.5) #(a b)
