; Pairs and lists: structure, sharing, and printing with dots.
(print '(1 2 3) '(1 . 2) '(1 2 . 3) '() '(()))    ; => (1 2 3) (1 . 2) (1 2 . 3) () (())
(print (cons 1 '(2)) (cons 1 2) (list) (list 1 (list 2 3))) ; => (1 2) (1 . 2) () (1 (2 3))
(print (car '(1 2)) (cdr '(1 2)) (cadr '(1 2 3)) (cddr '(1 2 3)) (caar '((1)))) ; => 1 (2) 2 (3) 1
(print (length '()) (length '(1 2 3)) (list? '(1 . 2))) ; => 0 3 #f
(print (append) (append '(1)) (append '(1) '(2) '(3 4)) (append '(1) 2)) ; => () (1) (1 2 3 4) (1 . 2)
(print (reverse '(1 2 3)) (list-tail '(1 2 3) 2) (list-ref '(a b c) 2)) ; => (3 2 1) (3) c
(define shared (list 1 2))
(define both (list shared shared))
(set-car! shared 9)
(print both)                                      ; => ((9 2) (9 2))
(define copy (list-copy shared))
(set-cdr! copy '())
(print copy shared)                               ; => (9) (9 2)
(define tail (list 3))
(print (eq? (cddr (append '(1 2) tail)) tail))    ; => #t
(print (range 3) (range 1 4) (range 0 10 3) (range 3 0 -1)) ; => (0 1 2) (1 2 3) (0 3 6 9) (3 2 1)
(print (iota 3) (iota 3 1) (iota 3 0 5))          ; => (0 1 2) (1 2 3) (0 5 10)
(define (build n) (let loop ((i n) (l '())) (if (= i 0) l (loop (- i 1) (cons i l)))))
(print (length (build 200000)) (car (build 200000))) ; => 200000 1

; reverse and append change what dies, and nothing that others hold
(define shared (list 3 4))
(define (count-to n) (let loop ((i n) (done '())) (if (= i 0) done (loop (- i 1) (cons i done)))))
(define (on-shared) (cons 1 (cons 2 shared)))
(print (reverse (count-to 4)) (reverse (on-shared)) shared) ; => (4 3 2 1) (4 3 2 1) (3 4)
(print (append (count-to 2) (on-shared) shared) shared) ; => (1 2 1 2 3 4 3 4) (3 4)
(define kept (count-to 3))
(print (append kept kept) (reverse kept) kept)  ; => (1 2 3 1 2 3) (3 2 1) (1 2 3)
(print (append (reverse '(1 2)) (reverse '(3 4)) '()) (apply append (list (count-to 2) kept (list 5)))) ; => (2 1 4 3) (1 2 1 2 3 5)
(print (guard (e (#t (error-object-message e))) (reverse (cons 1 2)))) ; => reverse: expected a list, got (1 . 2)
(print (guard (e (#t (error-object-message e))) (reverse (cons 1 (cons 2 (cons 3 4)))))) ; => reverse: expected a list, got (1 2 3 . 4)
(define ring (list 1 2))
(set-cdr! (cdr ring) ring)
(print (guard (e (#t 'ring)) (reverse (cons 3 (cons 4 ring)))) (cadr ring)) ; => ring 2
(set-cdr! (cdr ring) '())
(print (list) (list 1) (list 1 '(2)) (list 'a ring "c") (list 1 2 3 4)) ; => () (1) (1 (2)) (a (1 2) c) (1 2 3 4)
(print (guard (e (#t (error-object-message e))) (append (list 1 2) (cons 1 2) '()))) ; => append: expected a list, got (1 . 2)
