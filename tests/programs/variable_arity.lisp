; Rest parameters and apply.
(define (all . items) items)
(define (some a . rest) (list a rest))
(print (all) (all 1 2) (some 1) (some 1 2 3))     ; => () (1 2) (1 ()) (1 (2 3))
(print (apply all '()) (apply some 1 '(2)) (apply + 1 2 '(3 4))) ; => () (1 (2)) 10
(define sum (lambda numbers (fold + 0 numbers)))
(print (sum 1 2 3) (sum))                         ; => 6 0
(define (count-all . items) (if (null? items) 0 (+ 1 (apply count-all (cdr items)))))
(print (apply count-all (range 1000)))            ; => 1000
(define (optional a . rest) (if (null? rest) a (+ a (car rest))))
(print (optional 1) (optional 1 2))               ; => 1 3
(define original (list 1 2 3))
(define (clobber! . items) (set-car! items 'x) items)
(print (apply clobber! original) original)        ; => (x 2 3) (1 2 3)
